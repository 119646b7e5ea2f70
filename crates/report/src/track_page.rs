//! The page of a run that followed outlines over a cine.

use super::number::{percent, text};
use super::page::{Figure, Headline, Page, Plots, Section};
use super::svg_plot::{Ink, Line, LinePlot, Series};
use super::tables::Table;
use super::track_report::{TrackReport, TrackRun};
use super::track_view::TrackView;
use super::{bulls_eye, cine_loops};
use crate::ReportError;
use crate::metrics::{ContourDistance, RegionStrain, StrainAt};
use veloxel_core::Structure;

/// The page: function, outlines over the moving images, strain, distances to the truth; methods beside each other.
///
/// # Errors
/// [`ReportError::Picture`] or [`ReportError::Page`] should not occur.
pub fn track_html(report: &TrackReport, views: &[TrackView]) -> Result<String, ReportError> {
    let cine = &report.cine;
    let names: Vec<String> = report.runs.iter().map(TrackRun::name).collect();
    let subtitle =
        format!("{} · {} frames, {} slices with outlines", names.join(" · "), cine.frames, cine.slices.len());
    let mut page = Page::new("Cine tracking", &subtitle);
    page.run = Some(&report.header);
    if let Some(run) = report.runs.first() {
        page.cards = cards(report, run);
    }
    page.sections.push(loops_section(report, views)?);
    page.sections.extend(function_section(report));
    page.sections.extend(strain_section(report));
    page.sections.extend(distance_section(report));
    page.sections.push(comparison_section(report));
    page.to_html()
}

fn loops_section(report: &TrackReport, views: &[TrackView]) -> Result<Section, ReportError> {
    let mut section = Section::new("Outlines over the moving images");
    let inks = ["yellow", "blue", "green", "pink", "orange", "lilac"];
    let names = report.runs.iter().zip(inks.iter().cycle());
    let mut lead: Vec<String> = names.map(|(run, ink)| format!("{ink}: {}", run.name())).collect();
    if views.iter().any(|view| view.truth.is_some()) {
        lead.push("white, dashed: the true outlines".to_owned());
    }
    section.lead = format!("One beat in a loop; it rests under the pointer. {}.", lead.join("; "));
    section.figures = cine_loops::figures(&report.cine.slices, views, report.cine.frame_interval_ms)?;
    Ok(section)
}

fn cards(report: &TrackReport, run: &TrackRun) -> Vec<Headline> {
    let mut cards = Vec::new();
    if let Some(lv) = &run.ventricles.lv {
        let note = format!("EDV {} ml, ESV {} ml", text(lv.edv_ml), text(lv.esv_ml));
        cards.push(Headline::new(
            "Ejection fraction",
            format!("{:.1}", 100.0 * lv.ejection_fraction),
            "%",
            note,
        ));
    }
    if let Some(mass) = run.ventricles.mass_g {
        cards.push(Headline::new(
            "Mass of the left ventricle",
            format!("{mass:.0}"),
            "g",
            "slices with both outlines",
        ));
    }
    if let Some(all) = run.strain.first() {
        let [short, thick] = all.peaks();
        let long =
            all.peak_longitudinal().map_or(String::new(), |s| format!(", longitudinal {:+.1} %", 100.0 * s));
        let note = format!("radial {:+.1} %{long}", 100.0 * thick);
        cards.push(Headline::new("Peak circumferential strain", format!("{:+.1}", 100.0 * short), "%", note));
    }
    for summary in run.distances.iter().flat_map(|d| &d.structures) {
        let note = format!("modified Hausdorff distance, mean of {}", summary.count);
        cards.push(Headline::new(
            summary.structure.title(),
            format!("{:.2}", summary.modified_hausdorff_mm),
            "mm",
            note,
        ));
    }
    cards.push(Headline::of_time(&report.header));
    cards
}

fn series(name: &str, nth: usize, line: Line, values: &[f64]) -> Series {
    let points = values.iter().enumerate().map(|(frame, &v)| (frame as f64, v)).collect();
    Series { name: name.to_owned(), ink: Ink::Numbered(nth), line, points }
}

fn function_section(report: &TrackReport) -> Option<Section> {
    let mut plots = Vec::new();
    let curves = |of: &dyn Fn(&TrackRun) -> Option<Vec<f64>>| -> Vec<Series> {
        let found = report.runs.iter().enumerate().filter_map(|(nth, run)| Some((nth, run.name(), of(run)?)));
        found.map(|(nth, name, values)| series(&name, nth, Line::Dotted, &values)).collect()
    };
    let lv = curves(&|run| Some(run.ventricles.lv.as_ref()?.volume_ml.clone()));
    plots.push(LinePlot::new("Left ventricle's cavity", ["frame", "ml"], lv, &[0.0]));
    let rv = curves(&|run| Some(run.ventricles.rv.as_ref()?.volume_ml.clone()));
    plots.push(LinePlot::new("Right ventricle's cavity", ["frame", "ml"], rv, &[0.0]));
    let thickness = curves(&|run| Some(run.strain.first()?.curve(|s| s.thickness_mm)));
    plots.push(LinePlot::new("Thickness of the wall", ["frame", "mm"], thickness, &[0.0]));
    plots.retain(|plot| !plot.is_empty());
    if plots.is_empty() {
        return None;
    }
    let mut section = Section::new("Function");
    section.lead =
        "Volumes are areas of slices times their distance, over the slices that are outlined.".to_owned();
    section.plots = Plots::of(plots);
    let head = ["method", "chamber", "EDV, ml", "ESV, ml", "stroke, ml", "EF, %", "mass, g"];
    let mut rows = Vec::new();
    for run in &report.runs {
        let chambers = [("left", &run.ventricles.lv), ("right", &run.ventricles.rv)];
        for (name, chamber) in chambers.into_iter().filter_map(|(name, c)| Some((name, c.as_ref()?))) {
            let mass = run
                .ventricles
                .mass_g
                .filter(|_| name == "left")
                .map_or("–".to_owned(), |g| format!("{g:.0}"));
            rows.push(vec![
                run.name(),
                name.to_owned(),
                format!("{:.1} (frame {})", chamber.edv_ml, chamber.end_diastole),
                format!("{:.1} (frame {})", chamber.esv_ml, chamber.end_systole),
                format!("{:.1}", chamber.edv_ml - chamber.esv_ml),
                format!("{:.1}", 100.0 * chamber.ejection_fraction),
                mass,
            ]);
        }
    }
    section.table = Some(Table::new(&head, rows));
    Some(section)
}

/// One kind of strain.
type Kind = fn(&StrainAt) -> f64;

fn strain_section(report: &TrackReport) -> Option<Section> {
    let run = report.runs.first()?;
    let all = run.strain.first()?;
    let mut plots = Vec::new();
    let percent_of = |region: &RegionStrain, of: Kind| -> Vec<f64> {
        region.curve(of).into_iter().map(|s| 100.0 * s).collect()
    };
    let layers: [(&str, Kind); 3] = [
        ("endocardium", |s| s.circumferential_endo),
        ("midway", |s| s.circumferential_mid),
        ("epicardium", |s| s.circumferential_epi),
    ];
    let curves = layers.iter().enumerate();
    let curves =
        curves.map(|(nth, (name, of))| series(name, nth, Line::Dotted, &percent_of(all, *of))).collect();
    plots.push(LinePlot::new("Circumferential strain", ["frame", "%"], curves, &[0.0]));
    let radial = vec![series("", 0, Line::Dotted, &percent_of(all, |s| s.radial))];
    plots.push(LinePlot::new("Radial strain", ["frame", "%"], radial, &[0.0]));
    let long: Option<Vec<f64>> = all.frames.iter().map(|s| Some(100.0 * s.longitudinal?)).collect();
    if let Some(long) = &long {
        let curve = vec![series("", 0, Line::Dotted, long)];
        plots.push(LinePlot::new("Longitudinal strain", ["frame", "%"], curve, &[0.0]));
    }
    let mut section = Section::new("Strain");
    section.figures = report.runs.iter().flat_map(bulls_eyes).collect();
    section.lead = "Lagrangian strain relative to the reference frame: (L − L₀) / L₀ of material lines around the cavity, \
                    across the wall, and, where all slices moved together, from base to apex; strain.csv has the Eulerian form, rates, slices and segments."
        .to_owned();
    section.plots = Plots::of(plots);
    Some(section)
}

/// Strains of the segments at their peaks.
fn bulls_eyes(run: &TrackRun) -> Vec<Figure> {
    let mut values = [[None; 17]; 3];
    for region in run.strain.iter().filter(|region| region.slice.is_none()) {
        let Some(segment) = region.segment else { continue };
        let [short, thick] = region.peaks();
        let nth = usize::from(segment) - 1;
        values[0][nth] = Some(100.0 * short);
        // The apex has no wall around a cavity.
        values[1][nth] = Some(100.0 * thick).filter(|_| segment != 17);
        values[2][nth] = region.peak_longitudinal().map(|long| 100.0 * long);
    }
    let caption = format!("{}, % at its peak; hatched: not seen", run.name());
    let kinds = [("Circumferential strain", -30.0), ("Radial strain", 60.0), ("Longitudinal strain", -25.0)];
    let known = kinds.into_iter().zip(&values).filter(|(_, values)| values.iter().any(Option::is_some));
    known.map(|((name, full), values)| bulls_eye::figure(name, &caption, values, full)).collect()
}

fn distance_section(report: &TrackReport) -> Option<Section> {
    let mut plots = Vec::new();
    let measured = |structure: &Structure| {
        report.runs.iter().flat_map(|run| &run.distances).any(|d| d.structure(*structure).is_some())
    };
    for structure in Structure::ALL.into_iter().filter(measured) {
        let curve = |run: &TrackRun| -> Option<Vec<f64>> {
            let distances = run.distances.as_ref()?;
            Some(by_frame(&distances.contours, structure, report.cine.frames))
        };
        let curves = report.runs.iter().enumerate();
        let curves = curves
            .filter_map(|(nth, run)| Some(series(&run.name(), nth, Line::Dotted, &curve(run)?)))
            .collect();
        plots.push(LinePlot::new(structure.title(), ["frame", "mm"], curves, &[0.0]));
    }
    plots.extend(report.runs.iter().flat_map(way_plots));
    plots.retain(|plot| !plot.is_empty());
    if plots.is_empty() {
        return None;
    }
    let mut section = Section::new("Distance to the true outlines");
    section.lead =
        "Modified Hausdorff distance (Dubuisson and Jain 1994) over time, mean over slices.".to_owned();
    section.plots = Plots::of(plots);
    let head = [
        "method",
        "structure",
        "outlines",
        "modified Hausdorff, mm",
        "worst, mm",
        "Hausdorff, mm",
        "mean, mm",
        "area, mm²",
    ];
    let mut rows = Vec::new();
    for run in &report.runs {
        for s in run.distances.iter().flat_map(|d| &d.structures) {
            let millimetres =
                [s.modified_hausdorff_mm, s.worst_modified_hausdorff_mm, s.hausdorff_mm, s.mean_mm];
            let mut row = vec![run.name(), s.structure.title().to_owned(), s.count.to_string()];
            row.extend(millimetres.map(|mm| format!("{mm:.2}")));
            row.push(format!("{:+.1}", s.area_difference_mm2));
            rows.push(row);
        }
    }
    section.table = Some(Table::new(&head, rows));
    Some(section)
}

/// Forward, backward and wanted motion of a method beside each other.
fn way_plots(run: &TrackRun) -> Vec<LinePlot> {
    let of = |structure: Structure| {
        let all = run.distances.iter().chain(&run.ways).zip(["as wanted", "forward alone", "backward alone"]);
        let curves = all.enumerate().map(|(nth, (distances, name))| {
            let last = distances.contours.iter().map(|c| c.frame).max().unwrap_or(0);
            series(name, nth, Line::Dotted, &by_frame(&distances.contours, structure, last + 1))
        });
        let title = format!("{}: {} by way in time", run.name(), structure.title());
        LinePlot::new(&title, ["frame", "mm"], curves.collect(), &[0.0])
    };
    let measured = |structure: &Structure| run.ways.iter().any(|way| way.structure(*structure).is_some());
    Structure::ALL.into_iter().filter(measured).map(of).collect()
}

/// Mean modified Hausdorff distance by frame.
fn by_frame(contours: &[ContourDistance], structure: Structure, frames: usize) -> Vec<f64> {
    let mean = |frame: usize| {
        let own = contours.iter().filter(|c| c.structure == structure && c.frame == frame);
        let (sum, count) = own.fold((0.0, 0), |(s, n), c| (s + c.modified_hausdorff_mm, n + 1));
        if count == 0 { f64::NAN } else { sum / f64::from(count) }
    };
    (0..frames).map(mean).collect()
}

fn comparison_section(report: &TrackReport) -> Section {
    let mut section = Section::new(if report.runs.len() > 1 { "Methods" } else { "The field" });
    let curve = |(nth, run): (usize, &TrackRun)| {
        let values: Vec<f64> = run.folded.iter().map(|share| 100.0 * share).collect();
        series(&run.name(), nth, Line::Dotted, &values)
    };
    let curves = report.runs.iter().enumerate().map(curve).collect();
    section.plots = Plots::of(vec![LinePlot::new("Folded voxels", ["frame", "%"], curves, &[0.0, 0.1])]);
    let head = [
        "method",
        "time, s",
        "ms a frame and slice",
        "periodic",
        "drift forward / backward, mm",
        "folded at most",
    ];
    let cine = &report.cine;
    let row = |run: &TrackRun| {
        let pairs =
            (cine.frames - 1).max(1) * if cine.motion == "volume" { 1 } else { cine.slices.len().max(1) };
        vec![
            run.name(),
            format!("{:.1}", 1e-3 * run.time_ms),
            format!("{:.0}", run.time_ms / pairs as f64),
            if run.periodicity == crate::metrics::Periodicity::Periodic { "yes" } else { "no" }.to_owned(),
            run.drift_mm.map(|mm| mm.map_or("–".to_owned(), |mm| format!("{mm:.2}"))).join(" / "),
            percent(run.worst_folding()),
        ]
    };
    section.table = Some(Table::new(&head, report.runs.iter().map(row)));
    section
}
