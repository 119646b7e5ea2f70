//! Tests of the quick form at its smallest, without data of others.

use super::*;
use veloxel_gpu::Device;

#[test]
fn every_table_has_measured_and_published_figures_apart() {
    let device = Device::cpu(2).unwrap();
    let no_volume = |_: usize| unreachable!("no volume should be measured");
    let session = Session::new(&device, &no_volume).without_data();
    session.miss("what another bench lacks".to_owned());
    let mut told = 0;
    let mut observer = |_: Event<'_>| {
        told += 1;
        Ok(())
    };
    let extent = Extent { slices: 1, frames: 2, side: 32, batch: 2, descent_steps: 5, runs: 1 };
    let result = run(&session, extent, &mut observer).unwrap();
    assert_eq!((told, result.parts.len()), (5, 3), "without data there are no patients");
    let (figures, published) = (result.figures(), result.published());
    assert!(figures.iter().all(|figure| figure.value.is_finite()), "{figures:?}");
    let row = "LM, a registration of the patient";
    assert_eq!(published.iter().filter(|one| one.what == row).count(), 4);
    let own: Vec<&str> =
        figures.iter().filter(|figure| figure.what.starts_with(row)).map(|figure| &*figure.what).collect();
    assert_eq!(
        own,
        ["LM, a registration of the patient, 1 thread", "LM, a registration of the patient, all threads"]
    );
    assert!(published.iter().all(|one| figures.iter().all(|figure| figure.value != one.value)));
    let missing = result.not_measured();
    for what in ["ep-dataset", "acdc", "rvsc", "ONTARGET"] {
        assert!(missing.iter().any(|one| one.what.contains(what)), "{what}: {missing:?}");
    }
    assert_eq!(session.missing(), ["what another bench lacks"]);
    let page = result.html().unwrap();
    assert!(page.contains("7950 GTX, published") && !page.contains("NaN") && !page.contains("http"));
}
