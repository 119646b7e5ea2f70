//! Tests of the quick form at tiny sizes.

use super::*;
use veloxel_gpu::Device;

const TINY: Extent =
    Extent { sizes: [[48, 40], [96, 80]], span_s: 0.0, runs: 1, least_frames: 1, times_of: TimesOf::All };

#[test]
fn every_table_has_measured_and_published_columns_apart() {
    let device = Device::cpu(2).unwrap();
    let no_volume = |_: usize| unreachable!("no volume should be measured");
    let session = Session::new(&device, &no_volume).without_data();
    session.miss("what another bench lacks".to_owned());
    let mut told = 0;
    let mut observer = |_: Event<'_>| {
        told += 1;
        Ok(())
    };
    let result = run(&session, TINY, &mut observer).unwrap();
    assert_eq!(told, 7);
    let tables = result.tables();
    assert_eq!(tables.len(), 4, "Tables 3, 4, 7 and the memory need no data");
    for table in &tables {
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
        let of = |mark: &str| table.head.iter().filter(|name| name.ends_with(mark)).count();
        assert_eq!(of(", measured") + of(", published") + 2, table.head.len(), "{:?}", table.head);
    }
    let (figures, published) = (result.figures(), result.published());
    assert!(figures.iter().all(|figure| figure.value.is_finite()), "{figures:?}");
    assert!(published.iter().all(|one| ["FPGA", "GPU", "CPU"].contains(&one.by)), "{published:?}");
    assert!(published.iter().all(|one| one.place == "Table 4"), "other sizes are not the paper's");
    let missing = result.not_measured();
    for what in ["yosemite", "venus", "RubberWhale", "Table 8"] {
        assert!(missing.iter().any(|one| one.what.contains(what)), "{what}: {missing:?}");
    }
    assert_eq!(
        session.missing(),
        ["what another bench lacks"],
        "what a paper lacks is said, and does not fail"
    );
    let page = result.html().unwrap();
    assert!(page.contains("Figure 5a") && !page.contains("NaN") && !page.contains("http"), "self-contained");
}
