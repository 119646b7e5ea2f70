//! Tests of all ways at tiny sizes.

use super::*;
use veloxel_core::TriangleMesh;

/// Two strips of squares that meet in an edge.
fn folded_strip() -> NamedMesh {
    let points = (0..=10).flat_map(|x| {
        let place = f64::from(x) - 5.0;
        [0.0, 1.0].map(|across| [place.max(0.0), across, (-place).max(0.0)])
    });
    let square = |x: u32| [[2 * x, 2 * x + 2, 2 * x + 3], [2 * x, 2 * x + 3, 2 * x + 1]];
    let mesh = TriangleMesh::new(points.collect(), (0..10).flat_map(square).collect()).unwrap();
    NamedMesh { name: "strip".to_owned(), mesh }
}

#[test]
fn a_processor_has_tables_plots_and_figures_without_a_gpu() {
    let device = Device::cpu(2).unwrap();
    let mut told = 0;
    let plan = PaperBPlan { sizes: &[[32, 24], [48, 40]], sides: &[3, 6], meshes: &[] };
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    let mut pictures = Pictures::of_phantom(case.build(&Grid::image(40, 32).unwrap()));
    pictures.name = "pair".to_owned();
    let data = PaperBData { pictures: vec![pictures], meshes: vec![folded_strip()] };
    let mut observer = |_: Event<'_>| {
        told += 1;
        Ok(())
    };
    let result = run_plan(&device, plan, data, &mut observer).unwrap();
    // Of distances the paper's four, and dissection on one thread and all; the stages of the mesh on both.
    assert_eq!(told, 3 * WAYS.len() * 2 + 3 * 6 + 2);
    let tables = result.tables();
    let rows: Vec<usize> = tables.iter().map(|table| table.rows.len()).collect();
    assert_eq!(rows, [3, 3, 3, 3, 3, 3 + 1, 2]);
    for table in &tables {
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
        assert!(table.head.iter().all(|name| !name.contains("GPU")), "{:?}", table.head);
    }
    let figures = result.figures();
    let times = 3 * WAYS.len() * 2 + 3 * 6 + 2 * 3;
    assert_eq!(figures.len(), times + 3 * WAYS.len() + 3 * 4);
    assert!(figures.iter().all(|f| f.value >= 0.0 && f.value.is_finite()), "{figures:?}");
    let errors: Vec<_> = figures.iter().filter(|f| f.unit == "px").collect();
    assert!(errors.iter().all(|f| f.value < 2.0), "{errors:?}");
    let published = result.published();
    assert!(published.iter().any(|one| one.by == "GTX 480" && one.value == 17.0));
    assert!(figures.iter().all(|f| published.iter().all(|one| one.what != f.what)));
    let page = result.html().unwrap();
    assert!(page.contains("<svg") && !page.contains("NaN") && !page.contains("http"), "self-contained");
}

#[test]
fn the_papers_times_stand_beside_its_sizes() {
    assert_eq!(WAYS[1].published_ms([640, 480]), Some(3.0));
    assert_eq!(WAYS[2].published_ms([584, 388]), Some(0.788));
    assert_eq!(WAYS[0].published_ms([320, 240]), None);
    assert!(PUBLISHED.iter().all(|row| QUICK_SIZES.contains(&row.0)));
}
