//! What the paper prints (Tables 3 to 8), and what of it no machine of today can measure.

use crate::experiments::NotMeasured;

/// The paper's columns of Tables 4 to 6.
pub(super) const PLATFORMS: &[&str] = &["FPGA", "GPU", "CPU"];
/// The paper's columns of Table 7 and section 7.2.
pub(super) const SPEED_PLATFORMS: &[&str] = &["FPGA", "GPU"];
/// The frames of Table 7.
pub(super) const SIZES: [[usize; 2]; 2] = [[640, 512], [1280, 1024]];

/// Mean and deviation of the errors of Table 4 on each platform.
pub(super) const PLACE_PX: [[f64; 3]; 2] = [[0.13, 0.07, 0.07], [1.24, 0.20, 0.20]];
pub(super) const ORIENTATION_DEG: [[f64; 3]; 2] = [[0.43, 0.28, 0.28], [2.61, 3.56, 3.56]];
pub(super) const PHASE_DEG: [[f64; 3]; 2] = [[7.22, 6.55, 6.55], [69.26, 11.50, 11.50]];

/// A sequence of Table 5 on each platform: mean absolute error and its deviation, pixels; density and share below half a
/// pixel, percent.
pub(super) struct StereoRow {
    pub name: &'static str,
    pub platforms: [[f64; 4]; 3],
}

pub(super) const STEREO: [StereoRow; 4] = [
    same("venus", [0.74, 1.38, 87.0, 52.0], [0.41, 0.99, 98.0, 84.0]),
    same("tsukuba", [0.84, 1.44, 92.0, 58.0], [0.67, 1.33, 100.0, 76.0]),
    same("cones", [2.52, 6.25, 85.0, 53.0], [1.19, 2.91, 88.0, 69.0]),
    same("teddy", [2.97, 5.89, 68.0, 34.0], [1.99, 3.99, 91.0, 62.0]),
];

/// GPU and CPU have the same figures.
const fn same(name: &'static str, fpga: [f64; 4], others: [f64; 4]) -> StereoRow {
    StereoRow { name, platforms: [fpga, others, others] }
}

/// A sequence of Table 6 on each platform.
pub(super) struct FlowRow {
    /// Name of the sequence in the paper.
    pub name: &'static str,
    /// Name of the scene that is measured here; empty where the data are not to be had.
    pub scene: &'static str,
    /// Mean angular error and its deviation, degrees; density, percent: at τ_l = 0.5.
    pub medium: [[f64; 3]; 3],
    /// The same at τ_l = 0.05, which the FPGA cannot.
    pub high: [Option<[f64; 3]>; 3],
    /// Share of errors below 5°, percent.
    pub below_5_deg: [f64; 3],
}

pub(super) const FLOW: [FlowRow; 4] = [
    FlowRow {
        name: "yosemite",
        scene: "Yosemite, no sky",
        medium: [[5.20, 8.20, 92.0], [2.70, 5.42, 99.0], [2.67, 5.09, 99.0]],
        high: [None, Some([1.77, 2.25, 83.0]), Some([1.78, 2.23, 84.0])],
        below_5_deg: [64.0, 87.0, 87.0],
    },
    FlowRow {
        name: "divtree",
        scene: "",
        medium: [[4.00, 3.65, 86.0], [1.82, 1.60, 100.0], [1.80, 1.46, 100.0]],
        high: [None, Some([1.69, 1.33, 97.0]), Some([1.69, 1.31, 97.0])],
        below_5_deg: [65.0, 97.0, 97.0],
    },
    FlowRow {
        name: "rubberwhale",
        scene: "RubberWhale",
        medium: [[11.20, 20.60, 79.0], [6.00, 14.61, 99.0], [6.03, 14.71, 99.0]],
        high: [None, Some([3.87, 8.14, 88.0]), Some([3.85, 8.17, 87.0])],
        below_5_deg: [46.0, 79.0, 79.0],
    },
    FlowRow {
        name: "grove3",
        scene: "",
        medium: [[12.08, 19.34, 93.0], [6.06, 15.23, 88.0], [5.86, 14.44, 88.0]],
        high: [None, Some([2.49, 5.05, 44.0]), Some([2.47, 5.39, 46.0])],
        below_5_deg: [47.0, 67.0, 67.0],
    },
];

/// Table 7 on a GPU and the FPGA: milliseconds a frame, frames a second, megapixels a second.
pub(super) struct SpeedRow {
    pub is_multiscale: bool,
    pub size: [usize; 2],
    /// The FPGA's, then the GPU's.
    pub platforms: [[f64; 3]; 2],
}

pub(super) const SPEED: [SpeedRow; 4] = [
    SpeedRow { is_multiscale: false, size: SIZES[0], platforms: [[6.1, 161.0, 53.0], [5.4, 185.0, 61.0]] },
    SpeedRow { is_multiscale: false, size: SIZES[1], platforms: [[24.7, 40.0, 53.0], [20.5, 49.0, 64.0]] },
    SpeedRow { is_multiscale: true, size: SIZES[0], platforms: [[16.6, 60.0, 20.0], [9.0, 111.0, 36.0]] },
    SpeedRow { is_multiscale: true, size: SIZES[1], platforms: [[66.6, 15.0, 20.0], [30.3, 33.0, 43.0]] },
];

/// Section 7.2: megabytes of the GPU's buffers at both sizes.
pub(super) const MEMORY_MB: [f64; 2] = [193.0, 772.0];

/// What of the paper no run of this program can measure.
pub(super) fn cannot_be_had() -> impl Iterator<Item = NotMeasured> {
    [
        ("Table 2, Figures 3 and 4: the FPGA's processing units, cores and memory banks", "they are counts of a circuit; here its arithmetic is modelled, no circuit is made"),
        ("Tables 4 to 6: an FPGA of today", "there is none; the published columns are the paper's, and Table 1 measures each of its simplifications"),
        ("Table 3: instructions a pixel, relative throughput", "they are counters of the GPU that NVIDIA's profiling library reads, which is no part of a driver"),
        ("Table 3: Gabor columns and rows apart", "one kernel does both, and the features with them, without a copy in memory between"),
        ("Table 6: divtree", "the data folder has no frames of it"),
        ("Table 6: grove3", "five frames are needed; the data folder has none of it"),
        ("Table 7: cycles a pixel", "the clock of a processor or GPU changes as it runs, and is not read"),
        ("Table 8: power, cost, time to market, operations a second", "they are properties of products and projects; nothing that a run measures"),
        ("Table 9, Figure 8: suitable platforms, stages of a development", "they are judgements"),
    ]
    .into_iter()
    .map(|(what, because)| NotMeasured::new(what, because))
}
