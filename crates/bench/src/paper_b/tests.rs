//! Tests of all ways at tiny sizes.

use super::*;

#[test]
fn a_processor_has_tables_plots_and_figures_without_a_gpu() {
    let device = Device::cpu(2).unwrap();
    let mut told = 0;
    let plan = PaperBPlan { sizes: &[[32, 24], [48, 40]], sides: &[3, 6] };
    let mut observer = |_: Event<'_>| {
        told += 1;
        Ok(())
    };
    let result = run_plan(&device, plan, &mut observer).unwrap();
    // Of distances the paper's four, and dissection on one thread and all.
    assert_eq!(told, 2 * WAYS.len() * 2 + 2 * 6);
    let tables = result.tables();
    assert_eq!(tables.len(), WAYS.len() + 1);
    for table in &tables {
        assert!(table.head.iter().all(|name| !name.contains("GPU")), "{:?}", table.head);
        assert!(table.rows.len() == 2 && table.rows.iter().all(|row| row.len() == table.head.len()));
    }
    let figures = result.figures();
    assert_eq!(figures.len(), 2 * WAYS.len() * 2 + 2 * 6);
    assert!(figures.iter().all(|f| f.value > 0.0 && f.value.is_finite()), "{figures:?}");
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
