//! The page of a run that followed outlines over a cine.

use crate::error::ReportError;
use crate::number::{percent, signed};
use crate::pages::cine_loops;
use crate::pages::page::{Figure, Headline, Page, Plots, Section};
use crate::pages::reader_plots::reader_plots;
use crate::pages::tables::Table;
use crate::pages::words::{Word, words};
use crate::pictures::track_view::TrackView;
use crate::plots::bulls_eye;
use crate::plots::svg_plot::{AxisLabels, Ink, Line, LinePlot, Series};
use crate::run::chamber_words::ChamberWords;
use crate::run::track_report::{TrackReport, TrackRun};
use veloxel_core::{Control, Structure};
use veloxel_measure::{Chamber, ContourDistance, ContourSummary, CurveEnds, KindSummary, StrainAt};
use veloxel_measure::{StrainSummary, Ventricles};

/// The page: function, outlines over the moving images, strain, distances to the truth; methods beside each other.
///
/// # Errors
/// [`ReportError::Picture`] or [`ReportError::Page`] should not occur; [`ReportError::Stopped`].
pub fn track_html(
    report: &TrackReport,
    views: &[TrackView],
    control: &Control,
) -> Result<String, ReportError> {
    let cine = &report.cine;
    let names: Vec<String> = report.runs.iter().map(TrackRun::name).collect();
    let subtitle =
        format!("{} · {} frames, {} slices with outlines", names.join(" · "), cine.frames, cine.slices.len());
    let mut sections = vec![loops_section(report, views, control)?];
    sections.extend(function_section(report));
    sections.extend(strain_section(report));
    sections.extend(distance_section(report));
    sections.push(comparison_section(report));
    sections.push(words(&[Word::Drift, Word::Folded, Word::Segment]));
    let page = Page {
        cards: report.runs.first().map_or(Vec::new(), |run| cards(report, run)),
        sections,
        run: Some(&report.header),
        ..Page::new("Cine tracking", &subtitle)
    };
    page.to_html()
}

fn loops_section(
    report: &TrackReport,
    views: &[TrackView],
    control: &Control,
) -> Result<Section, ReportError> {
    let inks = ["yellow", "blue", "green", "pink", "orange", "lilac"];
    let names = report.runs.iter().zip(inks.iter().cycle());
    let mut lead: Vec<String> = names.map(|(run, ink)| format!("{ink}: {}", run.name())).collect();
    if views.iter().any(|view| view.truth.is_some()) {
        let whose = if report.between_readers.is_empty() { "" } else { " of the first reader" };
        lead.push(format!("white, dashed: the true outlines{whose}"));
    }
    Ok(Section {
        lead: format!("One beat in a loop; it rests under the pointer. Colours: {}.", lead.join("; ")),
        figures: cine_loops::figures(&report.cine, views, control)?,
        ..Section::new("Outlines over the moving images")
    })
}

fn cards(report: &TrackReport, run: &TrackRun) -> Vec<Headline> {
    let mut cards = Vec::new();
    let Ventricles { lv, rv, mass_g, .. } = &run.ventricles;
    for (side, chamber) in [("left ventricle", lv), ("right ventricle", rv)] {
        cards.extend(chamber.as_ref().map(|chamber| {
            let words = ChamberWords::of(chamber);
            let note = format!("{side}: {}, {}", words.largest, words.smallest);
            Headline::new(words.share_title, words.share_percent, "%", note)
        }));
    }
    cards.extend(mass_g.map(|g| {
        let is_slice = lv.as_ref().is_some_and(|lv| lv.areas_cm2.is_some());
        let title = if is_slice { "Muscle mass of one slice" } else { "Mass of the left ventricle" };
        Headline::new(title, format!("{g:.0}"), "g", "slices with both outlines")
    }));
    cards.extend(run.strain_summary.first().map(strain_cards).unwrap_or_default());
    cards.extend(run.distances.iter().flat_map(|d| &d.structures).map(|summary| {
        let note = format!("modified Hausdorff distance, mean of {}", summary.count);
        let distance = format!("{:.2}", summary.modified_hausdorff_mm);
        Headline::new(summary.structure.title(), distance, "mm", note)
    }));
    cards.push(Headline::of_time(&report.header));
    cards
}

/// The extreme strain of each kind, with that at end-systole.
fn strain_cards(all: &StrainSummary) -> Vec<Headline> {
    let kinds = [
        ("Circumferential strain, extreme", all.circumferential),
        ("Radial strain, extreme", all.radial),
        ("Longitudinal strain, extreme", all.longitudinal),
    ];
    let card = |(title, kind): (&str, Option<KindSummary>)| {
        let kind = kind?;
        let at_end_systole =
            kind.end_systolic.map(|strain| format!("; at end-systole {} %", percent_of(strain)));
        let note = format!("on frame {}{}", kind.extreme_frame, at_end_systole.unwrap_or_default());
        Some(Headline::new(title, percent_of(kind.extreme), "%", note))
    };
    kinds.into_iter().filter_map(card).collect()
}

/// A strain in %, with its sign.
fn percent_of(strain: f64) -> String {
    signed(100.0 * strain, 1)
}

fn series(name: &str, nth: usize, values: &[f64]) -> Series {
    let points = values.iter().enumerate().map(|(frame, &v)| (frame as f64, v)).collect();
    Series { name: name.to_owned(), ink: Ink::Numbered(nth), line: Line::Dotted, points }
}

/// A curve of each run that has one.
fn by_run(report: &TrackReport, values: impl Fn(&TrackRun) -> Option<Vec<f64>>) -> Vec<Series> {
    let runs = report.runs.iter().enumerate();
    runs.filter_map(|(nth, run)| Some(series(&run.name(), nth, &values(run)?))).collect()
}

fn over_frames(title: &str, unit: &str, curves: Vec<Series>) -> LinePlot {
    LinePlot::new(title, AxisLabels { x: "frame", y: unit }, curves, &[0.0])
}

fn function_section(report: &TrackReport) -> Option<Section> {
    let volume = |of: fn(&Ventricles) -> &Option<Chamber>| {
        by_run(report, |run| Some(of(&run.ventricles).as_ref()?.volume_ml.clone()))
    };
    let thickness = by_run(report, |run| Some(run.strain.first()?.curve(|s| s.thickness_mm)));
    let plots = Plots::of(vec![
        over_frames("Left ventricle's cavity", "ml", volume(|found| &found.lv)),
        over_frames("Right ventricle's cavity", "ml", volume(|found| &found.rv)),
        over_frames("Thickness of the wall", "mm", thickness),
    ]);
    let head = ["method", "ventricle", "largest", "smallest", "difference", "share", "mass, g"];
    let row = |run: &TrackRun, name: &str, chamber: &Chamber, mass_g: Option<f64>| {
        let words = ChamberWords::of(chamber);
        vec![
            run.name(),
            name.to_owned(),
            format!("{} (frame {})", words.largest, chamber.end_diastole),
            format!("{} (frame {})", words.smallest, chamber.end_systole),
            words.difference,
            format!("{} {} %", words.share_name, words.share_percent),
            mass_g.map_or("–".to_owned(), |g| format!("{g:.0}")),
        ]
    };
    let rows = report.runs.iter().flat_map(|run| {
        let Ventricles { lv, rv, mass_g, .. } = &run.ventricles;
        let left = lv.as_ref().map(|chamber| row(run, "left", chamber, *mass_g));
        left.into_iter().chain(rv.as_ref().map(|chamber| row(run, "right", chamber, None)))
    });
    let lead = "Volumes are areas of slices times their distance, over the slices that are outlined. A single slice has areas, \
                and no end-diastolic volume: its curve is the volume of that slice alone.";
    let table = Some(Table::new(&head, rows));
    (!plots.is_empty()).then(|| Section { lead: lead.to_owned(), plots, table, ..Section::new("Function") })
}

/// A kind of strain, taken from the strain of a region on a frame.
type StrainKind = fn(&StrainAt) -> f64;

fn strain_section(report: &TrackReport) -> Option<Section> {
    let all = report.runs.first()?.strain.first()?;
    let curve = |nth: usize, name: &str, of: &dyn Fn(&StrainAt) -> f64| {
        series(name, nth, &all.frames.iter().map(|s| 100.0 * of(s)).collect::<Vec<_>>())
    };
    let layers: [(&str, StrainKind); 3] = [
        ("endocardium", |s| s.circumferential_endo),
        ("midway", |s| s.circumferential_mid),
        ("epicardium", |s| s.circumferential_epi),
    ];
    let layers = layers.iter().enumerate().map(|(nth, (name, of))| curve(nth, name, of)).collect();
    let mut plots = vec![
        over_frames("Circumferential strain", "%", layers),
        over_frames("Radial strain", "%", vec![curve(0, "", &|s| s.radial)]),
    ];
    if all.frames.iter().all(|s| s.longitudinal.is_some()) {
        let long = curve(0, "", &|s| s.longitudinal.unwrap_or(f64::NAN));
        plots.push(over_frames("Longitudinal strain", "%", vec![long]));
    }
    let lead = "Lagrangian strain relative to the reference frame: (L − L₀) / L₀ of material lines around the cavity, \
                across the wall, and, where all slices moved together, from base to apex. Extreme: the strain of largest magnitude \
                over all frames, with its sign; end-systole: the frame of the smallest cavity; strain.csv has the Eulerian form, rates, slices and segments.";
    Some(Section {
        lead: lead.to_owned(),
        figures: report.runs.iter().flat_map(bulls_eyes).collect(),
        plots: Plots::of(plots),
        table: Some(strain_table(report)),
        ..Section::new("Strain")
    })
}

/// Strains of the segments: their extremes over the beat, and those at end-systole.
fn bulls_eyes(run: &TrackRun) -> Vec<Figure> {
    type Value = fn(&KindSummary) -> Option<f64>;
    let values: [(&str, Value); 2] =
        [("extreme", |kind| Some(kind.extreme)), ("at end-systole", |kind| kind.end_systolic)];
    let mut figures = Vec::new();
    for (name, of) in values {
        let mut values = [[None; 17]; 3];
        for region in run.strain_summary.iter().filter(|region| region.slice.is_none()) {
            let Some(segment) = region.segment else { continue };
            let nth = usize::from(segment) - 1;
            // The apex has no wall around a cavity.
            let radial = region.radial.filter(|_| segment != 17);
            for (values, kind) in values.iter_mut().zip([region.circumferential, radial, region.longitudinal])
            {
                values[nth] = kind.as_ref().and_then(of).map(|strain| 100.0 * strain);
            }
        }
        let caption =
            format!("{}, %, signed; the other sign in the other colour; hatched: not seen", run.name());
        let kinds =
            [("Circumferential strain", -30.0), ("Radial strain", 60.0), ("Longitudinal strain", -25.0)];
        let known = kinds.into_iter().zip(&values).filter(|(_, values)| values.iter().any(Option::is_some));
        figures.extend(known.map(|((kind, full), values)| {
            bulls_eye::figure(&format!("{kind}, {name}"), &caption, values, full)
        }));
    }
    figures
}

/// Strains of the segments and of the whole ring as a table.
fn strain_table(report: &TrackReport) -> Table {
    let head = [
        "method",
        "segment",
        "circumferential, extreme, %",
        "at end-systole",
        "radial, extreme, %",
        "at end-systole",
        "longitudinal, extreme, %",
        "at end-systole",
    ];
    let unknown = || "–".to_owned();
    let cells = |kind: Option<KindSummary>| match kind {
        Some(kind) => [
            format!("{} (frame {})", percent_of(kind.extreme), kind.extreme_frame),
            kind.end_systolic.map_or_else(unknown, percent_of),
        ],
        None => [unknown(), unknown()],
    };
    let row = |run: &TrackRun, region: &StrainSummary| {
        let segment = region.segment.map_or("all".to_owned(), |segment| segment.to_string());
        let radial = region.radial.filter(|_| region.segment != Some(17));
        let kinds = [region.circumferential, radial, region.longitudinal].map(cells);
        [vec![run.name(), segment], kinds.concat()].concat()
    };
    let rows = report.runs.iter().flat_map(|run| {
        let all = run.strain_summary.iter().filter(|region| region.slice.is_none());
        all.map(move |region| row(run, region))
    });
    Table::new(&head, rows)
}

fn distance_section(report: &TrackReport) -> Option<Section> {
    let curves = |structure: Structure| {
        by_run(report, |run| {
            let distances = run.distances.as_ref()?;
            Some(by_frame(&distances.contours, structure, report.cine.frames))
        })
    };
    let measured = |structure: &Structure| {
        report.runs.iter().flat_map(|run| &run.distances).any(|d| d.structure(*structure).is_some())
    };
    let structures = Structure::ALL.into_iter().filter(measured);
    let mut plots: Vec<LinePlot> =
        structures.map(|structure| over_frames(structure.title(), "mm", curves(structure))).collect();
    plots.extend(report.runs.iter().flat_map(way_plots));
    plots.extend(reader_plots(report));
    let plots = Plots::of(plots);
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
    let row = |run: &TrackRun, s: &ContourSummary| {
        let millimetres = [s.modified_hausdorff_mm, s.worst_modified_hausdorff_mm, s.hausdorff_mm, s.mean_mm];
        let mut row = vec![run.name(), s.structure.title().to_owned(), s.count.to_string()];
        row.extend(millimetres.map(|mm| format!("{mm:.2}")));
        row.push(signed(s.area_difference_mm2, 1));
        row
    };
    let rows = report.runs.iter().flat_map(|run| {
        run.distances.iter().flat_map(|d| &d.structures).map(move |structure| row(run, structure))
    });
    let mut lead =
        "Modified Hausdorff distance (Dubuisson and Jain 1994) over time, mean over slices.".to_owned();
    if !report.between_readers.is_empty() {
        lead += " Where several readers drew outlines, cards, table and the first plots are of the first one; the last plots show all \
                 readers, with the difference between them dashed.";
    }
    (!plots.is_empty()).then(|| Section {
        lead,
        plots,
        table: Some(Table::new(&head, rows)),
        ..Section::new("Distance to the true outlines")
    })
}

/// Plots of the forward, the backward and the wanted motion of a method.
fn way_plots(run: &TrackRun) -> Vec<LinePlot> {
    let of = |structure: Structure| {
        let all = run.distances.iter().chain(&run.ways).zip(["as wanted", "forward alone", "backward alone"]);
        let curves = all.enumerate().map(|(nth, (distances, name))| {
            let last = distances.contours.iter().map(|c| c.frame).max().unwrap_or(0);
            series(name, nth, &by_frame(&distances.contours, structure, last + 1))
        });
        let title = format!("{}: {} by way in time", run.name(), structure.title());
        over_frames(&title, "mm", curves.collect())
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
    let folded = by_run(report, |run| Some(run.folded.iter().map(|share| 100.0 * share).collect()));
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
            if run.periodicity == CurveEnds::Periodic { "yes" } else { "no" }.to_owned(),
            run.drift_mm.map(|mm| mm.map_or("–".to_owned(), |mm| format!("{mm:.2}"))).join(" / "),
            percent(run.worst_folding()),
        ]
    };
    Section {
        plots: Plots::of(vec![LinePlot::new(
            "Folded voxels",
            AxisLabels { x: "frame", y: "%" },
            folded,
            &[0.0, 0.1],
        )]),
        table: Some(Table::new(&head, report.runs.iter().map(row))),
        ..Section::new(if report.runs.len() > 1 { "Methods" } else { "The field" })
    }
}
