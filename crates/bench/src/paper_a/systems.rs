//! Table 1, the systems, and Figure 10, their error correction.

use super::PaperA;
use crate::experiments::{ExperimentTable, NotMeasured, error_correction, published_head, system_facts};
use veloxel_gpu::Device;

/// The paper's systems, a row for each of our properties; empty where the paper does not say it.
const PUBLISHED: [[&str; 3]; 7] = [
    ["Xeon 5110, 1.6 GHz", "Core i7, 2.8 GHz", "Xeon 5650, 2.67 GHz"],
    ["", "", ""],
    ["2 GB", "4 GB", "24 GB"],
    ["Ubuntu 10.10, Linux 2.6.35", "Ubuntu 10.10, Linux 2.6.31", "Ubuntu 10.10, Linux 2.6.35"],
    ["C1060, CUDA 4.0", "GTX480, CUDA 3.3", "C2070, CUDA 3.2"],
    ["1 GB", "4 GB", "6 GB"],
    ["none", "none", "on and off"],
];

/// The table 1.
pub(super) fn systems(result: &PaperA) -> ExperimentTable {
    let facts = result.machines.last().map(|machine| system_facts(&machine.device)).unwrap_or_default();
    let row = |(fact, published): (crate::SystemFact, [&str; 3])| {
        [fact.what, fact.value].into_iter().chain(published.map(str::to_owned)).collect()
    };
    let head = ["", "this machine"].map(str::to_owned).into_iter();
    let paper = ["system 1", "system 2", "system 3"].map(published_head);
    ExperimentTable {
        title: "Systems (Table 1)".to_owned(),
        note: "Other machines stand beside it with veloxel bench --merge.".to_owned(),
        head: head.chain(paper).collect(),
        rows: facts.into_iter().zip(PUBLISHED).map(row).collect(),
        text_columns: 5,
    }
}

/// Why Figure 10 has no curve, with the state that the driver reports.
pub(super) fn ecc_experiment(device: &Device) -> NotMeasured {
    let state = match error_correction(device) {
        "–" if device.is_gpu() => "its driver does not report the state through this interface".to_owned(),
        "–" => "there is no GPU here".to_owned(),
        state => format!("the driver reports that it is {state}"),
    };
    let because = format!(
        "{state}; it cannot be switched here, because that takes an administrator and a restart of the GPU"
    );
    NotMeasured::new("Figure 10, error correction (ECC) on beside off", because)
}
