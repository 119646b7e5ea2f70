//! The paper's results (Tables 2 and 3): milliseconds, without transfers.

use crate::experiments::Published;

/// A row of both tables: cubic root of the size, processor and fastest GPU variant of systems 1 and 2.
pub(super) struct PublishedRow {
    pub size: usize,
    /// Times on a Xeon 5110 and a C1060.
    pub c1060_ms: [f64; 2],
    /// Times on a Core i7 and a GTX480.
    pub gtx480_ms: [f64; 2],
}

impl PublishedRow {
    pub fn c1060_speed_up(&self) -> f64 {
        self.c1060_ms[0] / self.c1060_ms[1]
    }
    pub(crate) fn gtx480_speed_up(&self) -> f64 {
        self.gtx480_ms[0] / self.gtx480_ms[1]
    }
}

const fn row(size: usize, c1060_ms: [f64; 2], gtx480_ms: [f64; 2]) -> PublishedRow {
    PublishedRow { size, c1060_ms, gtx480_ms }
}

/// The rows; for each GPU the faster of its variants with and without shared memory.
pub(super) const TABLES: [PublishedRow; 9] = [
    row(50, [1272.0, 86.0], [671.0, 26.0]),
    row(75, [4457.0, 245.0], [2379.0, 83.0]),
    row(100, [11362.0, 355.0], [5788.0, 150.0]),
    row(125, [21112.0, 531.0], [11338.0, 240.0]),
    row(150, [45101.0, 895.0], [23714.0, 373.0]),
    row(175, [62310.0, 1147.0], [31369.0, 554.0]),
    row(200, [96703.0, 2856.0], [47914.0, 1101.0]),
    row(225, [134668.0, 3473.0], [66870.0, 1275.0]),
    row(250, [176238.0, 4261.0], [91610.0, 1564.0]),
];

/// The headline "Up to a factor of 60" (sections 5.2 and 6).
pub(super) const HEADLINE: f64 = 60.0;
/// Best speed-ups of components on the C1060 (section 5.2): the Gaussian; data generation and interpolation.
pub(super) const GAUSSIAN: f64 = 25.0;
pub(super) const INTERPOLATION: f64 = 90.0;

pub(super) fn of_size(size: usize) -> Option<&'static PublishedRow> {
    TABLES.iter().find(|row| row.size == size)
}

/// Both tables as figures.
pub(super) fn published() -> Vec<Published> {
    let of_row = |row: &PublishedRow| {
        let time = |by, value| {
            let what = format!("{}³: a run", row.size);
            Published { what, by, value, unit: "ms", place: "Tables 2 and 3" }
        };
        let speed_up = |by, value| {
            let what = format!("{}³, GPU over 1 thread", row.size);
            Published { what, by, value, unit: "×", place: "Tables 2 and 3" }
        };
        [
            time("Xeon 5110", row.c1060_ms[0]),
            time("C1060", row.c1060_ms[1]),
            time("Core i7", row.gtx480_ms[0]),
            time("GTX480", row.gtx480_ms[1]),
            speed_up("C1060", row.c1060_speed_up()),
            speed_up("GTX480", row.gtx480_speed_up()),
        ]
    };
    TABLES.iter().flat_map(of_row).collect()
}
