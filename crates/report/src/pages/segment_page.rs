//! The page of a mesh in parts: the mesh in 3-D, and its parts in a table.
//!
//! The viewer (three.js) and all data are inside the page; it loads nothing from any host.

use crate::error::ReportError;
use crate::number::{percent, text};
use crate::pages::page::{Headline, Page, Scene, Section};
use crate::pages::tables::Table;
use crate::pictures::part_colours::part_rgb;
use crate::run::segment_report::{SegmentReport, SegmentedPart};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;
use veloxel_core::Control;

/// The content of the page.
#[derive(Debug, Clone, Copy)]
pub struct SegmentView<'a> {
    /// Corners of the mesh.
    pub points: &'a [[f64; 3]],
    /// Its triangles.
    pub triangles: &'a [[u32; 3]],
    /// For each triangle the face of the file that it is a part of; none where every face is a triangle.
    pub file_faces: Option<&'a [u32]>,
    /// The run's answer; behind it another method's, if there is one.
    pub answers: &'a [AnswerView<'a>],
}

/// What an answer is to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerRole {
    /// The run's own.
    Own,
    /// Parts that the run's method began with.
    Beginning,
    /// Another method's, which the run's own did not begin with.
    Beside,
}

/// The result of one method: a tree of parts.
#[derive(Debug, Clone, Copy)]
pub struct AnswerView<'a> {
    /// What it is to the run.
    pub role: AnswerRole,
    /// Name of the method for readers.
    pub name: &'static str,
    /// The number of parts that certainties belong to; the slider begins there.
    pub parts: usize,
    /// The part of each triangle, when there are as many parts as the slider can show.
    pub finest: &'a [u32],
    /// Number of these parts.
    pub finest_parts: usize,
    /// The pairs of these parts that are merged, in order: first the part that stays, then the part that joins it.
    pub merges: &'a [[u32; 2]],
    /// A number for each of the finest parts, which chooses its colour; parts of two answers that are alike share one.
    pub numbers: &'a [u32],
    /// Certainty of each triangle, 0 to 1.
    pub certainty: &'a [f32],
    /// Mean thickness of each of the finest parts, as a share of the square root of the mesh's area.
    pub thickness: &'a [f64],
    /// Parts below this share of the mesh's area join a neighbour.
    pub least_area: f64,
    /// The parts at the number that was found, where the tree shows others.
    pub own: Option<OwnParts<'a>>,
}

/// Parts that the tree of merges does not show.
#[derive(Debug, Clone, Copy)]
pub struct OwnParts<'a> {
    /// The part of each triangle.
    pub labels: &'a [u32],
    /// For each part a number, which chooses its colour.
    pub numbers: &'a [u32],
}

/// Number of colours of the page.
const COLOURS: u32 = 256;
/// Most triangles of a mesh whose parts around seeds the page finds by itself, about a second a change; most seeds.
const LIVE_TRIANGLES: usize = 40_000;
const LIVE_SEEDS: usize = 16;
/// What these parts are called.
const AROUND_SEEDS: &str = "around seeds";

impl AnswerView<'_> {
    /// The smallest number of parts.
    fn fewest_parts(&self) -> usize {
        self.finest_parts - self.merges.len()
    }

    /// The answer in the form that the viewer reads.
    fn json(&self) -> Value {
        let coded = |parts: &[u32]| {
            STANDARD.encode(parts.iter().flat_map(|&part| (part as u16).to_le_bytes()).collect::<Vec<u8>>())
        };
        let inks = |numbers: &[u32]| numbers.iter().map(|number| number % COLOURS).collect::<Vec<u32>>();
        let of_255 = |certainty: &f32| (255.0 * certainty.clamp(0.0, 1.0)).round() as u8;
        let certainty: Vec<u8> = self.certainty.iter().map(of_255).collect();
        json!({
            "parts": self.parts,
            "fewest_parts": self.fewest_parts(),
            "finest": coded(self.finest),
            "finest_parts": self.finest_parts,
            "merges": self.merges,
            "inks": inks(self.numbers),
            "certainty": STANDARD.encode(certainty),
            "thickness": self.thickness,
            "least_area": self.least_area,
            "own": self.own.map(|own| coded(own.labels)),
            "own_inks": self.own.map(|own| inks(own.numbers)),
        })
    }
}

/// The page.
///
/// # Errors
/// [`ReportError::Page`] and [`ReportError::Json`] should not occur; [`ReportError::Stopped`].
pub fn segment_html(
    report: &SegmentReport,
    view: &SegmentView<'_>,
    control: &Control,
) -> Result<String, ReportError> {
    let mut lead = "Drag to turn, scroll to come nearer, drag with shift or the right button to move; click a part to pick it. A colour \
                    fades to white where a face may as well belong to the part beside it; at other numbers of parts than the \
                    run's, near every border. Card and table follow the slider."
        .to_owned();
    lead.push_str(match view.answers.get(1).map(|second| second.role) {
        Some(AnswerRole::Beginning) => {
            " Fuzzy clustering began with the parts of cuts, whose tree has more parts to show."
        }
        Some(AnswerRole::Beside) => {
            " Fuzzy clustering did not begin with the parts of cuts; their tree, beside it, has more parts to show."
        }
        Some(AnswerRole::Own) | None => "",
    });
    if is_live(view) {
        lead.push_str(
            " Around seeds is found in the page: a triangle belongs to the seed that is nearest by angles and lengths (α is the share of \
             angles, η what an angle counts where the surface bends outwards); double-click a triangle to make it its part's seed.",
        );
    }
    let scene = Section { lead, scene: Some(scene(report, view, control)?), ..Section::new("Parts") };
    let parts = Section { table: Some(table(&report.segments)), ..Section::new("Every part") };
    let cleaning = &report.cleaning;
    let facts = [
        ("triangles", cleaning.triangles),
        ("components", cleaning.components),
        ("border edges", cleaning.border_edges),
        ("edges of three faces or more", cleaning.crowded_edges),
        ("faces without an area", cleaning.flat),
        ("repeated faces", cleaning.duplicates),
        ("faces turned over", cleaning.turned_faces),
        ("points joined", cleaning.joined_points),
        ("points joined along seams", cleaning.seam_points),
    ];
    let facts = facts.iter().map(|(name, count)| ((*name).to_owned(), count.to_string())).collect();
    let page = Page {
        cards: vec![
            Headline::new("Parts", report.parts.to_string(), "", report.count_from),
            Headline::new("Faces", report.faces.to_string(), "", "of the file"),
            Headline::new("Certainty", text(report.mean_certainty), "", "mean over the area, 0 to 1"),
            Headline::of_time(&report.header),
        ],
        sections: vec![scene, parts, Section { facts, ..Section::new("The mesh") }],
        run: Some(&report.header),
        ..Page::new("Parts of a mesh", &report.mesh)
    };
    page.to_html()
}

fn table(parts: &[SegmentedPart]) -> Table {
    let row = |part: &SegmentedPart| {
        vec![
            part.part.to_string(),
            String::new(),
            part.triangles.to_string(),
            percent(part.area_share),
            format!("{:.3}", part.thickness),
            format!("{:.2}", part.mean_certainty),
        ]
    };
    let head = ["part", "colour", "triangles", "area", "thickness, √area", "certainty"].map(str::to_owned);
    let swatch = |part: &SegmentedPart| {
        let [red, green, blue] = part.rgb;
        format!("rgb({red},{green},{blue})")
    };
    let swatches = parts.iter().map(swatch).collect();
    Table {
        head: head.to_vec(),
        text_columns: 2,
        rows: parts.iter().map(row).collect(),
        swatches,
        ..Table::default()
    }
}

/// Whether the page finds parts by itself: of one part or more, and few enough triangles.
fn is_live(view: &SegmentView<'_>) -> bool {
    (1..=LIVE_TRIANGLES).contains(&view.triangles.len()) && !view.answers.is_empty()
}

/// The mesh in the form that the viewer reads.
fn scene(report: &SegmentReport, view: &SegmentView<'_>, control: &Control) -> Result<Scene, ReportError> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in view.triangles.iter().flatten().map(|&corner| view.points[corner as usize]) {
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let extent =
        (0..3).map(|axis| (high[axis] - low[axis]).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    // Around the origin in units of the mesh's extent, so that no unit is too large or too small for the viewer.
    let centre = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
    let place = |point: &[f64; 3]| [0, 1, 2].map(|axis| ((point[axis] - centre[axis]) / extent) as f32);
    let points: Vec<u8> = view.points.iter().flat_map(place).flat_map(f32::to_le_bytes).collect();
    control.check()?;
    let triangles: Vec<u8> =
        view.triangles.iter().flatten().flat_map(|corner| corner.to_le_bytes()).collect();
    control.check()?;
    let colours: Vec<[u8; 3]> = (0..COLOURS).map(part_rgb).collect();
    let file_faces =
        view.file_faces.map(|faces| faces.iter().flat_map(|face| face.to_le_bytes()).collect::<Vec<u8>>());
    let data = json!({
        "name": Path::new(&report.mesh).file_stem().unwrap_or_default().to_string_lossy(),
        "command_line": report.header.command_line,
        "count_from": report.count_from,
        "certainty": text(report.mean_certainty),
        "live": is_live(view).then(|| json!({ "most": LIVE_SEEDS, "mesh": report.mesh })),
        "centre": centre,
        "extent": extent,
        "file_faces": file_faces.map(|faces| STANDARD.encode(faces)),
        "points": STANDARD.encode(points),
        "triangles": STANDARD.encode(triangles),
        "answers": view.answers.iter().map(AnswerView::json).collect::<Vec<_>>(),
        "colours": colours,
    });
    control.check()?;
    let around_seeds = is_live(view).then_some(AROUND_SEEDS);
    Ok(Scene {
        // Names of files must not end the script that holds them.
        data: serde_json::to_string(&data)?.replace('<', "\\u003c"),
        answers: view.answers.iter().map(|answer| answer.name).chain(around_seeds).collect(),
        is_live: is_live(view),
        parts: view.answers.first().map_or([1; 3], |run| [run.fewest_parts(), run.finest_parts, run.parts]),
        library: include_str!("mesh_viewer/three.min.js"),
        viewer: concat!(
            // The table lies below the scene.
            "addEventListener(\"DOMContentLoaded\", () => {\n",
            include_str!("mesh_viewer/parts.js"),
            include_str!("mesh_viewer/live.js"),
            include_str!("mesh_viewer/exports.js"),
            include_str!("mesh_viewer/viewer.js"),
            include_str!("mesh_viewer/self_test.js"),
            "});\n"
        ),
    })
}
