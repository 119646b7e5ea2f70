//! The page of a flow: of one pair, or of a sequence with one pair in full.

use crate::error::ReportError;
use crate::number::{percent, text};
use crate::pages::page::{Headline, Page, Plots, Section, Status};
use crate::pages::tables;
use crate::pages::words::{Word, words};
use crate::pictures::fields::slices::slice_scrollers;
use crate::pictures::film::{self, Thumbnail};
use crate::pictures::panels::{motion_scale, panels};
use crate::pictures::view::PairView;
use crate::plots::charts;
use crate::plots::charts::Units;
use crate::run::cell_words::cells_text;
use crate::run::flow_report::{PairReport, RunReport};
use veloxel_core::{Control, SolveStatus};
use veloxel_measure::{FlowError, LabelOverlapReport};

/// The page of a run over one pair.
///
/// # Errors
/// [`ReportError::NothingToShow`] if the run reports no pair; [`ReportError::Core`] if something of the view lies
/// on another grid; [`ReportError::Page`] should not occur; [`ReportError::Stopped`].
pub fn html(run: &RunReport, view: &PairView, control: &Control) -> Result<String, ReportError> {
    sequence_html(run, view, 0, &[], control)
}

/// The page of a run over a sequence: pair `shown` in full, and all pairs as curves, a table and a filmstrip.
///
/// # Errors
/// As [`html`]; also if the run has no pair `shown`.
pub fn sequence_html(
    run: &RunReport,
    view: &PairView,
    shown: usize,
    thumbnails: &[Thumbnail],
    control: &Control,
) -> Result<String, ReportError> {
    view.require_one_grid()?;
    let missing = ReportError::nothing("report page", "the run reports no such pair");
    let pair = run.pairs.get(shown).ok_or(missing)?;
    let status = pair.statistics.status;
    let class = if status == SolveStatus::Done { "done" } else { "limit" };
    let mut sections = Vec::new();
    let units = Units { length: view.length_unit(), voxels: view.voxels() };
    if run.pairs.len() > 1 {
        sections.push(Section { film: film::frames(thumbnails, shown, control)?, ..sequence(run, units) });
    }
    let heading = if run.pairs.len() > 1 { &pair.title } else { "The field" };
    let dimension = view.grid().dimension().count();
    sections.push(Section { dimension, panels: panels(view, control)?, ..Section::new(heading) });
    sections.extend(slices(view, control)?);
    if let Some(error) = &pair.error {
        sections.push(against_truth(view, error, pair, control)?);
    }
    let labels = run.label_overlap.as_ref().map(tables::labels);
    sections.extend(labels.map(|table| Section { table: Some(table), ..Section::new("Labels") }));
    sections.extend(convergence(pair, view));
    sections.push(words(&words_used(run, pair)));
    let page = Page {
        status: Some(Status { class, text: status.text() }),
        cards: cards(run, pair, view),
        sections,
        run: Some(&run.header),
        ..Page::new(run.method_title, &pair.title)
    };
    page.to_html()
}

fn sequence(run: &RunReport, units: Units) -> Section {
    Section {
        plots: Plots::of(charts::over_time(&run.pairs, units)),
        table: Some(tables::pairs(&run.pairs, units)),
        folded: format!("All {} pairs in numbers", run.pairs.len()),
        ..Section::new("The sequence")
    }
}

fn against_truth(
    view: &PairView,
    error: &FlowError,
    pair: &PairReport,
    control: &Control,
) -> Result<Section, ReportError> {
    Ok(Section {
        plots: Plots::of(charts::errors(view, error, pair, control)?),
        table: Some(tables::errors(error)),
        facts: tables::error_shares(error),
        ..Section::new("Against the truth")
    })
}

/// The method's own table and curves.
fn convergence(pair: &PairReport, view: &PairView) -> Option<Section> {
    let (method, dimension) = (&pair.statistics.method, view.grid().dimension());
    let curves = charts::diagnostics(&method.curves, dimension);
    let heading = if curves.is_empty() { "Levels" } else { "Convergence" };
    Some(Section {
        table: Some(tables::diagnostics(method.table.as_ref()?, dimension)),
        plots: Plots::of(curves),
        ..Section::new(heading)
    })
}

/// The slices of a volume, to scroll through.
fn slices(view: &PairView, control: &Control) -> Result<Option<Section>, ReportError> {
    let scrollers = slice_scrollers(view, motion_scale(view, control)?, control)?;
    let lead =
        "Scroll in a picture: from slice to slice, the motion in colours over the fixed image.".to_owned();
    Ok((!scrollers.is_empty()).then(|| Section { lead, scrollers, ..Section::new("Slices") }))
}

/// The words of the page that a reader may not know.
fn words_used(run: &RunReport, pair: &PairReport) -> Vec<Word> {
    let ause = pair.sparsification.as_ref().and_then(|s| s.ause).map(|_| Word::Ause);
    let drift = run.cycle_closure_vox.map(|_| Word::Drift);
    let always = [Word::Brightness, Word::Determinant, Word::Folded, Word::Rim];
    ause.into_iter().chain(drift).chain(always).collect()
}

/// The headline numbers of a pair within its run.
fn cards(run: &RunReport, pair: &PairReport, view: &PairView) -> Vec<Headline> {
    let (unit, voxels) = (view.length_unit(), view.voxels());
    // What is measured within the mask says so.
    let inside = if view.mask.is_some() { "inside the mask: " } else { "" };
    let mut cards = vec![motion(pair, unit, inside)];
    cards.extend(pair.error.iter().flat_map(|error| errors(error, voxels, inside)));
    cards.extend(run.label_overlap.as_ref().map(dice));
    cards.extend([
        brightness(pair),
        volume(pair, voxels, inside),
        folding(pair, inside),
        confidence(pair, inside),
    ]);
    let drift =
        |vox| Headline::new("Cycle closure", text(vox), voxels, "left after following one whole cycle");
    cards.extend(run.cycle_closure_vox.map(drift));
    let residual =
        |vox| Headline::new("Inverse consistency", text(vox), voxels, "forward then backward, mean");
    cards.extend(pair.statistics.inverse_residual_vox.map(residual));
    cards.push(Headline::of_time(&run.header));
    cards
}

fn motion(pair: &PairReport, unit: &str, inside: &str) -> Headline {
    let motion = &pair.motion;
    let (mean, max, more) = match unit {
        "px" => (motion.mean_vox, motion.max_vox, String::new()),
        _ => (motion.mean_mm, motion.max_mm, format!("; {} voxels on average", text(motion.mean_vox))),
    };
    Headline::new("Mean motion", text(mean), unit, format!("{inside}up to {} {unit}{more}", text(max)))
}

fn errors(error: &FlowError, voxels: &str, inside: &str) -> [Headline; 2] {
    let end_point = &error.end_point_vox;
    let (a95, zero) = (text(end_point.a95), text(error.mean_truth_vox));
    let note = format!("{inside}95 % below {a95}; a zero flow would score {zero}");
    let density = format!("measured at {} of the true vectors", percent(error.density));
    [
        Headline::new("End-point error", text(end_point.mean), voxels, note),
        Headline::new("Angular error", text(error.angular_deg.mean), "°", density),
    ]
}

fn dice(overlap: &LabelOverlapReport) -> Headline {
    let distance = overlap.mean_hausdorff95_mm;
    let distance = distance.map_or(String::new(), |mm| format!("; Hausdorff 95: {} mm", text(mm)));
    let note = format!("{} labels{distance}", overlap.labels.len());
    Headline::new("Dice", text(overlap.mean_dice), "", note)
}

fn brightness(pair: &PairReport) -> Headline {
    let brightness = pair.statistics.brightness;
    let change = brightness.mean_abs_after / brightness.mean_abs_before - 1.0;
    let value =
        if change > 0.0 { format!("+{}", text(100.0 * change)) } else { text((100.0 * change).round()) };
    let (before, after) = (text(brightness.mean_abs_before), text(brightness.mean_abs_after));
    Headline::new("Brightness difference", value, "%", format!("mean |Iₜ|: {before} → {after}"))
}

fn volume(pair: &PairReport, voxels: &str, inside: &str) -> Headline {
    let jacobian = pair.statistics.jacobian;
    let range = format!("det {} to {} at the {voxels}", text(jacobian.min), text(jacobian.max));
    let label = if voxels == "px" { "Mean area change" } else { "Mean volume change" };
    let note = format!("{inside}mean |det(I + ∇d) − 1|; {range}");
    Headline::new(label, text(100.0 * jacobian.mean_abs_minus_one), "%", note)
}

fn folding(pair: &PairReport, inside: &str) -> Headline {
    let cells = pair.cells.asked();
    Headline::new(
        "Folded cells",
        text(100.0 * cells.share_folded()),
        "%",
        format!("{inside}{}", cells_text(cells)),
    )
}

fn confidence(pair: &PairReport, inside: &str) -> Headline {
    let note = match pair.sparsification.as_ref().and_then(|s| s.ause.zip(s.ause_uninformed)) {
        Some((ause, random)) => format!("AUSE {} (random order: {})", text(ause), text(random)),
        None => format!("{} have a vector", percent(pair.motion.valid_share)),
    };
    Headline::new("Mean confidence", text(pair.motion.mean_confidence), "", format!("{inside}{note}"))
}
