//! Figures of several machines as plots: one for each family of figures, with a curve for each machine and each of the paper's.

use super::families::{Member, PlainName, members};
use super::sheet::Sheet;
use crate::experiments::{MachineRole, published_head};
use std::collections::BTreeSet;
use veloxel_report::svg_plot::{Ink, Line, LinePlot, Scale, Series};

/// The fewest numbers that a family needs to be drawn.
const FEWEST: usize = 3;
/// Largest over least value from which an axis is logarithmic.
const WIDE: f64 = 8.0;
/// Number of plot colours of a page.
const INKS: usize = 6;

/// One figure of one machine, or of one of the paper's.
#[derive(Debug)]
struct CurvePoint {
    column: Column,
    x: f64,
    y: f64,
}

/// Whose figure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    /// A machine, by its place in the sheet, and the role of its device.
    Measured(usize, Option<MachineRole>),
    /// One of the paper's, by its place in the sheet.
    Published(usize),
}

/// Figures whose names differ in one number.
#[derive(Debug)]
struct Family {
    name: String,
    unit: String,
    points: Vec<CurvePoint>,
}

/// A plot for each family of the sheet that has figures of three numbers or more, in the order of their first figures.
pub(super) fn plots(sheet: &Sheet) -> Vec<LinePlot> {
    let mut families: Vec<Family> = Vec::new();
    for row in sheet.rows() {
        let plain = PlainName::of(&row.what);
        for Member { family, number } in members(&plain.text) {
            let known = families.iter().position(|one| one.name == family && one.unit == row.unit);
            let nth = known.unwrap_or_else(|| {
                families.push(Family { name: family, unit: row.unit.clone(), points: Vec::new() });
                families.len() - 1
            });
            let mut add = |column, value: &Option<f64>| {
                families[nth].points.extend(value.map(|y| CurvePoint { column, x: number, y }));
            };
            row.measured
                .iter()
                .enumerate()
                .for_each(|(machine, value)| add(Column::Measured(machine, plain.role), value));
            row.published.iter().enumerate().for_each(|(paper, value)| add(Column::Published(paper), value));
        }
    }
    families.iter().filter_map(|family| family.plot(sheet)).collect()
}

impl Family {
    /// The plot; none where no measured curve has enough points.
    fn plot(&self, sheet: &Sheet) -> Option<LinePlot> {
        let columns: BTreeSet<Column> = self.points.iter().map(|point| point.column).collect();
        let curves: Vec<(Column, Vec<(f64, f64)>)> =
            columns.into_iter().map(|column| (column, self.curve(column))).collect();
        let is_drawn = |(column, points): &&(Column, Vec<(f64, f64)>)| {
            matches!(column, Column::Measured(..)) && points.len() >= FEWEST
        };
        curves.iter().find(is_drawn)?;
        let series = curves.into_iter().enumerate().map(|(nth, (column, points))| Series {
            name: column.name(sheet),
            ink: Ink::Numbered(nth % INKS),
            line: if matches!(column, Column::Published(_)) { Line::Dashed } else { Line::Dotted },
            points,
        });
        Some(LinePlot {
            title: self.name.clone(),
            x_label: "N".to_owned(),
            y_label: self.unit.clone(),
            x_scale: scale(self.points.iter().map(|point| point.x)),
            y_scale: scale(self.points.iter().map(|point| point.y)),
            series: series.collect(),
            ..LinePlot::default()
        })
    }

    /// The points of a column from left to right; of two figures of one number the later one.
    fn curve(&self, column: Column) -> Vec<(f64, f64)> {
        let own = self.points.iter().filter(|point| point.column == column);
        let mut points: Vec<(f64, f64)> = Vec::new();
        for point in own {
            points.retain(|&(x, _)| x != point.x);
            points.push((point.x, point.y));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }
}

impl Column {
    fn name(self, sheet: &Sheet) -> String {
        match self {
            Self::Measured(machine, None) => sheet.machines()[machine].clone(),
            Self::Measured(machine, Some(role)) => format!("{}, {}", sheet.machines()[machine], role.name()),
            Self::Published(paper) => published_head(&sheet.papers()[paper]),
        }
    }
}

/// Logarithmic for values above 0 that lie far apart.
fn scale(values: impl Iterator<Item = f64> + Clone) -> Scale {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let greatest = values.fold(f64::NEG_INFINITY, f64::max);
    if least > 0.0 && greatest >= WIDE * least { Scale::Logarithmic } else { Scale::Linear }
}
