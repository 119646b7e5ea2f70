//! Tests of the quick form at tiny sizes.

use super::settings::{TAPS, rho_vox, window};
use super::*;

fn tiny() -> Plan {
    Plan {
        sizes: vec![8, 12],
        figure_sizes: vec![10],
        warps: vec![1, 2],
        taps: vec![5, 9],
        measured_to: 10,
        longest_s: 1e-4,
    }
}

#[test]
fn a_processor_has_tables_without_a_gpu_and_says_what_was_scaled() {
    let device = Device::cpu(2).unwrap();
    let mut told = Vec::new();
    let mut pages = Vec::new();
    let mut observer = |event: Event<'_>| {
        if let Event::Measured { figures, so_far } = event {
            told.extend(figures);
            pages.push(so_far.html()?);
        }
        Ok(())
    };
    let result = run_plan(&device, tiny(), &mut observer).unwrap();
    let tables = result.tables();
    let titles: Vec<&str> = tables.iter().map(|t| t.title.rsplit('(').next().unwrap()).collect();
    assert_eq!(titles, ["Table 1)", "Tables 2 and 3)", "Figure 5a)", "Figure 5b)", "Figure 6)"]);
    for table in &tables[1..] {
        assert!(table.head.iter().all(|name| !name.contains("GPU")), "{:?}", table.head);
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
    }
    let rows: Vec<usize> = tables.iter().map(|t| t.rows.len()).collect();
    assert_eq!(rows, [7, 2, 2, 2, 3 * 5]);
    let scaled: Vec<bool> = tables[1].rows.iter().map(|row| row[1].starts_with('≈')).collect();
    assert_eq!(scaled, [false, true], "sizes up to `measured_to` are measured: {:?}", tables[1].rows);
    for table in &tables[2..4] {
        assert!(table.rows.iter().flatten().all(|cell| !cell.contains('≈')), "{:?}", table.rows);
    }
    assert!(result.notes().iter().any(|note| note.starts_with('≈')));
    let figures = result.figures();
    assert!(figures.iter().all(|f| f.value > 0.0 && f.value.is_finite()), "{figures:?}");
    assert!(figures.iter().all(|f| f.reached.is_none()), "no bar without the paper's sizes");
    assert_eq!(told, figures, "each is told as soon as it is known");
    assert_eq!(pages.len(), 3 * 2);
    assert_eq!(pages.last(), result.html().ok().as_ref());
    let page = result.html().unwrap();
    assert!(page.contains("cannot be switched here") && page.contains("there is no GPU here"));
    assert!(page.contains("<svg") && !page.contains("NaN") && !page.contains("http"), "self-contained");
}

#[test]
fn no_plan_scales_up_to_128() {
    for plan in [Plan::full(), Plan::quick()] {
        assert!(plan.measured_to >= 128);
        assert!(plan.figure_sizes.iter().all(|&size| size <= 128));
    }
}

#[test]
fn windows_have_the_taps_asked_for() {
    for taps in [5, 9, TAPS, 21, 31] {
        assert_eq!(2 * window(taps).radius() + 1, taps);
        assert!(rho_vox(taps) <= 16.0);
    }
}

#[test]
fn a_scene_moves_and_is_never_flat() {
    let scene = Scene::new(16).unwrap();
    let (fixed, moving) = (scene.fixed.data(), scene.moving.data());
    let difference: f32 =
        fixed.iter().zip(moving).map(|(a, b)| (a - b).abs()).sum::<f32>() / fixed.len() as f32;
    assert!(difference > 0.01, "{difference}");
    assert!(fixed.iter().chain(moving).all(|v| (0.0..=1.0).contains(v)));
}
