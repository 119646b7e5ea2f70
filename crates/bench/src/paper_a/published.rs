//! The paper's results (Tables 2 and 3): milliseconds, without transfers.

use super::settings::{TAPS, WARPS};
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

/// A row of both tables with every variant.
pub(super) struct VariantRow {
    size: usize,
    /// Times on a C1060 with and without shared memory.
    pub c1060_ms: [f64; 2],
    /// Times on a GTX480 with and without shared memory, and with neither shared memory nor the first cache.
    pub gtx480_ms: [f64; 3],
}

const fn variant(size: usize, c1060_ms: [f64; 2], gtx480_ms: [f64; 3]) -> VariantRow {
    VariantRow { size, c1060_ms, gtx480_ms }
}

const VARIANTS: [VariantRow; 9] = [
    variant(50, [86.0, 96.0], [49.0, 26.0, 49.0]),
    variant(75, [245.0, 257.0], [155.0, 83.0, 155.0]),
    variant(100, [355.0, 443.0], [272.0, 150.0, 265.0]),
    variant(125, [531.0, 771.0], [440.0, 240.0, 435.0]),
    variant(150, [895.0, 1123.0], [677.0, 373.0, 671.0]),
    variant(175, [1147.0, 1594.0], [955.0, 554.0, 942.0]),
    variant(200, [3036.0, 2856.0], [2037.0, 1101.0, 1999.0]),
    variant(225, [3473.0, 3834.0], [2357.0, 1275.0, 2312.0]),
    variant(250, [4261.0, 6016.0], [2864.0, 1564.0, 2823.0]),
];

pub(super) fn variants_of(size: usize) -> Option<&'static VariantRow> {
    VARIANTS.iter().find(|row| row.size == size)
}

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
            // The name of our own whole runs, which the page of several machines draws in one plot with these.
            let what = format!("{}³: R {WARPS}, {TAPS} taps", row.size);
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
    TABLES.iter().flat_map(of_row).chain(VARIANTS.iter().flat_map(published_variants)).collect()
}

/// The variants of a size as figures.
fn published_variants(row: &VariantRow) -> impl Iterator<Item = Published> {
    let size = row.size;
    let names = ["with shared memory", "without shared memory", "without the first cache"];
    let of = move |by, values: Vec<f64>| {
        names.into_iter().zip(values).map(move |(name, value)| {
            let what = format!("{size}³: a run, {name}");
            Published { what, by, value, unit: "ms", place: "Tables 2 and 3" }
        })
    };
    of("C1060", row.c1060_ms.into()).chain(of("GTX480", row.gtx480_ms.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_variant_is_that_of_the_tables() {
        for (row, variants) in TABLES.iter().zip(&VARIANTS) {
            let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(row.size, variants.size);
            assert_eq!(row.c1060_ms[1], least(&variants.c1060_ms), "{}³", row.size);
            assert_eq!(row.gtx480_ms[1], least(&variants.gtx480_ms), "{}³", row.size);
        }
    }
}
