//! The tables and plots of the ways through memory, and of kernels side by side.

use super::components::Component;
use super::published::{VariantRow, variants_of};
use super::settings::X_LABEL;
use super::ways::{ALL, Way, takes_cuda};
use super::{Measurement, PaperA};
use crate::Figure;
use crate::experiments::{ExperimentTable, MachineRole, NotMeasured, published_head};
use veloxel_report::number;
use veloxel_report::svg_plot::{Ink, Line, LinePlot, Scale, Series};

/// Part of the title of the table of ways, and of that of kernels side by side.
pub(super) const WAYS: &str = "Figures 7a, 8 and 9";
pub(super) const BESIDE: &str = "section 6 ii";

/// Milliseconds of a way on the GPU.
fn ms(m: &Measurement, component: Component, way: Way) -> Option<f64> {
    let measured = m.of(MachineRole::Gpu)?;
    match way {
        Way::Product => measured.ways.as_ref().and_then(|_| measured.costs.ms(component)),
        _ => measured.ways.as_ref()?.ms(component, way),
    }
}

/// How many times faster than one thread.
fn speed_up(m: &Measurement, component: Component, way: Way) -> Option<f64> {
    Some(m.of(MachineRole::OneThread)?.costs.ms(component)? / ms(m, component, way)?)
}

/// The table of ways.
pub(super) fn ways(result: &PaperA) -> ExperimentTable {
    let factor = |value: Option<f64>| value.map_or("–".to_owned(), |v| format!("{}×", number::text(v)));
    let mut rows = Vec::new();
    for m in &result.measurements {
        for (component, way) in ALL {
            let Some(own) = ms(m, component, way) else { continue };
            let over_caches = ms(m, component, Way::Caches).map(|caches| caches / own);
            let published = variants_of(m.size).filter(|_| component == Component::Smoothing);
            let [c1060, gtx480] = published.map_or([None; 2], |row| factors(row, way));
            rows.push(vec![
                format!("{}³", m.size),
                component.name().to_owned(),
                way.name().to_owned(),
                number::duration(own),
                factor(speed_up(m, component, way)),
                factor(over_caches),
                factor(c1060),
                factor(gtx480),
            ]);
        }
    }
    let head = ["size", "part", "way", "GPU", "GPU over 1 thread", "over the caches' way"];
    let paper = ["C1060", "GTX480"].map(published_head);
    ExperimentTable {
        title: format!("Ways through memory ({WAYS}, section 4.4)"),
        note: format!(
            "One output a thread but for the product's text; every way has the same bits. Textures are fetched from and not interpolated by, as in the paper, which found them two orders slower than shared memory and left them out.{} The published columns are of whole runs without transfers; the paper's caches' way of the C1060, which has no such cache, is that without shared memory.",
            texture_times(result)
        ),
        head: head.map(str::to_owned).into_iter().chain(paper).collect(),
        rows,
        text_columns: 3,
    }
}

/// The published time through the caches over that of a way, on both GPUs.
fn factors(row: &VariantRow, way: Way) -> [Option<f64>; 2] {
    match way {
        Way::Caches => [Some(1.0), Some(1.0)],
        Way::Workgroup => {
            [Some(row.c1060_ms[1] / row.c1060_ms[0]), Some(row.gtx480_ms[1] / row.gtx480_ms[0])]
        }
        Way::PastFirstCache => [None, Some(row.gtx480_ms[1] / row.gtx480_ms[2])],
        _ => [None; 2],
    }
}

/// What preparing a texture takes, as a sentence.
fn texture_times(result: &PaperA) -> String {
    let of = |m: &Measurement| {
        let ms = m.of(MachineRole::Gpu)?.ways.as_ref()?.texture_ms?;
        Some(format!("{} at {}³", number::duration(ms), m.size))
    };
    let all: Vec<String> = result.measurements.iter().filter_map(of).collect();
    if all.is_empty() {
        return String::new();
    }
    format!(" Copying the image to a texture that is a volume is not in its times: {}.", all.join(", "))
}

/// The table of kernels side by side.
pub(super) fn beside(result: &PaperA) -> ExperimentTable {
    let rows = result.measurements.iter().filter_map(|m| {
        let [in_turn, beside] = m.of(MachineRole::Gpu)?.ways.as_ref()?.pair_ms?;
        Some(vec![
            format!("{}³", m.size),
            number::duration(in_turn),
            number::duration(beside),
            format!("{}×", number::text(in_turn / beside)),
        ])
    });
    let head = ["size", "in turn, GPU", "side by side, GPU", "gain"];
    ExperimentTable {
        title: format!("Kernels side by side ({BESIDE})"),
        note: "Two volumes smoothed on one queue, and on two. The paper names concurrent kernels as work to come, and measures none.".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        text_columns: 1,
    }
}

/// A figure of every way of a size.
pub(super) fn figures(m: &Measurement) -> Vec<Figure> {
    let place = format!("{}³, {}", m.size, MachineRole::Gpu.name());
    let own = ALL.into_iter().filter(|(_, way)| *way != Way::Product);
    let ways = own.filter_map(|(component, way)| {
        let name = format!("{place}: {}, {}", component.name(), way.name());
        Some(Figure::new(name, ms(m, component, way)?, "ms"))
    });
    let pair = m.of(MachineRole::Gpu).and_then(|measured| measured.ways.as_ref()?.pair_ms);
    let beside = pair.into_iter().flat_map(|pair| {
        ["in turn", "side by side"]
            .into_iter()
            .zip(pair)
            .map(|(how, ms)| (format!("two volumes smoothed {how}"), ms))
    });
    ways.chain(beside.map(|(what, ms)| Figure::new(format!("{place}: {what}"), ms, "ms"))).collect()
}

/// What of the ways this machine cannot measure.
pub(super) fn not_measured(result: &PaperA) -> Vec<NotMeasured> {
    let gpu = result.machines.iter().find(|machine| machine.role == MachineRole::Gpu);
    let because = match gpu {
        Some(machine) if takes_cuda(&machine.device) => return refused(result),
        Some(_) => "they are kernels in CUDA C++, and this GPU is opened otherwise",
        None => {
            return vec![NotMeasured::new(
                "Figures 7a, 8 and 9, sections 4.4 and 6 ii: ways through a GPU's memory, kernels side by side",
                "there is no GPU here",
            )];
        }
    };
    vec![
        NotMeasured::new("Figures 8 and 9, section 4.4: loads past the first cache, textures", because),
        NotMeasured::new("Section 6 ii: kernels side by side", "this GPU's queue does one after the other"),
    ]
}

/// What the driver refused.
fn refused(result: &PaperA) -> Vec<NotMeasured> {
    let of = |m: &Measurement| {
        let ways = m.of(MachineRole::Gpu).and_then(|measured| measured.ways.as_ref());
        let size = m.size;
        let all = ways.into_iter().flat_map(|ways| &ways.refused);
        all.map(move |(way, why)| NotMeasured::new(format!("{size}³: the warp, {}", way.name()), why))
            .collect()
    };
    result.measurements.iter().flat_map(|m| -> Vec<NotMeasured> { of(m) }).collect()
}

/// A curve of each way over sizes, smoothing and warp apart.
pub(super) fn plots(result: &PaperA) -> Vec<LinePlot> {
    let plot = |component: Component| {
        let of_part = ALL.into_iter().filter(|(own, _)| *own == component).enumerate();
        let series = of_part.map(|(nth, (_, way))| {
            let at = |m: &Measurement| Some((m.size as f64, speed_up(m, component, way)?));
            let points = result.measurements.iter().filter_map(at).collect();
            Series { name: way.name().to_owned(), ink: Ink::Numbered(nth), line: Line::Dotted, points }
        });
        LinePlot {
            title: format!("{}: GPU over one thread", component.name()),
            x_label: X_LABEL.into(),
            y_label: "×".into(),
            y_scale: Scale::Logarithmic,
            series: series.collect(),
            ..LinePlot::default()
        }
    };
    [Component::Smoothing, Component::Warp].map(plot).into()
}
