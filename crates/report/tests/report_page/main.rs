//! Pages of invented runs: self-contained, small, and left in the target folder to be looked at.

mod invented;
mod phase;

use invented::Pair;
use std::path::Path;
use veloxel_core::{Control, Flow, Grid, Mask, MethodDiagnostics, StageTime, Volume, WarningKind, Warnings};
use veloxel_phantoms::{HeartParams, HeartPhantom};
use veloxel_report::{
    DeviceReport, InputReport, PairReport, PairView, RunHeader, RunReport, Thumbnail, html, sequence_html,
    to_json,
};

fn view(pair: &Pair) -> PairView<'_> {
    PairView {
        title: &pair.title,
        fixed: &pair.fixed,
        moving: &pair.moving,
        warped: Some(&pair.warped),
        flow: &pair.estimate,
        confidence: &pair.confidence,
        probability: Some(&pair.confidence),
        jacobian: &pair.jacobian,
        truth: Some(&pair.truth),
        mask: pair.mask.as_ref(),
        moving_grid: None,
        frames: None,
    }
}

fn run_report(pairs: &[Pair]) -> RunReport {
    let grid = pairs[0].fixed.grid();
    let measured = pairs
        .iter()
        .map(|p| {
            PairReport::measure(&view(p), p.statistics(), &Control::default())
                .expect("maps of one pair share a grid")
        })
        .collect();
    let mut warnings = Warnings::new();
    warnings.push(
        WarningKind::Header,
        "moving.nii.gz: direction is not orthonormal (off by 2.1e-4): read as it stands",
    );
    let stage = |stage: &str, time_ms| StageTime { stage: stage.to_owned(), time_ms };
    RunReport {
        header: RunHeader {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line:
                "veloxel flow fixed.nii.gz moving.nii.gz -o flow.nii.gz --preset accurate --html report.html"
                    .to_owned(),
            method: "clg".to_owned(),
            preset: Some("accurate".to_owned()),
            device: DeviceReport {
                name: "CPU, AVX2".to_owned(),
                chosen_because: "the only device present: no Vulkan library, no CUDA driver".to_owned(),
                threads: 2,
            },
            parameters: serde_json::json!({
                "alpha": 0.05, "beta": 0.2, "rho_vox": 1.0, "pyramid": { "eta": 0.5, "smallest": 16 },
                "solver": { "kind": "multigrid", "rtol": 1e-3, "smoother": "red-black" }, "warps": 4,
                "regularise": "total", "robust_data": "charbonnier", "normalise": true
            }),
            inputs: vec![
                InputReport::new("fixed", "data/fixed.nii.gz", "NIfTI-1", grid),
                InputReport::new("moving", "data/moving.nii.gz", "NIfTI-1", grid),
            ],
            stage_times: vec![
                stage("load", 84.0),
                stage("prepare", 41.0),
                stage("solve", 920.0),
                stage("measure", 130.0),
                stage("write", 66.0),
            ],
            warnings,
        },
        method_title: "Combined local-global flow",
        pairs: measured,
        cycle_closure_vox: (pairs.len() > 1).then_some(0.031),
        label_overlap: None,
    }
}

/// Checks a page and writes it to the target folder, for people.
fn check(page: &str, name: &str, most_bytes: usize) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, page).expect("the target folder can be written");
    assert!(page.len() < most_bytes, "{name}: {} bytes, at most {most_bytes}", page.len());
    // pictures may spell it by chance
    let bare = ["NaN ", "NaN<", " NaN", ">NaN", "NaN\""].iter().any(|n| page.contains(n));
    assert!(!bare, "{name} shows NaN");
    for outside in ["http:", "https:", "url(//", "@import", "<script", "<link"] {
        assert!(!page.contains(outside), "{name} asks for something outside: {outside}");
    }
}

fn heart(size: usize, frames: usize) -> HeartPhantom {
    let grid = Grid::volume(size, size, size).and_then(|g| g.with_spacing_mm([112.0 / size as f64; 3]));
    let grid = grid.expect("a grid of constants is possible");
    HeartPhantom::new(HeartParams { grid, frames, ..HeartParams::default() })
        .expect("the default heart is possible")
}

#[test]
fn a_volume_fits_in_two_megabytes() {
    let heart = heart(64, 10);
    let systole = heart.end_systole();
    let pair = Pair::invent(
        "end-diastole → end-systole",
        [heart.frame(0), heart.frame(systole)],
        heart.motion(0, systole),
        Some(heart.muscle(0)),
    );
    let pairs = [pair];
    let run = run_report(&pairs);
    check(&html(&run, &view(&pairs[0]), &Control::default()).unwrap(), "volume.html", 2_000_000);
    assert!(!to_json(&run).unwrap().contains("NaN"));
}

#[test]
fn a_picture_fits_in_four_megabytes() {
    let grid = Grid::image(640, 480).unwrap();
    let texture = |x: f64, y: f64| {
        let (s, t) = (x / 40.0, y / 40.0);
        let fine = (x * 0.9 + (y * 0.21).sin() * 3.0).sin() * (y * 0.8 + (x * 0.17).cos() * 4.0).sin();
        (120.0 + 60.0 * (s + (t * 1.3).sin()).sin() * (t - (s * 0.7).cos()).cos() + 30.0 * fine) as f32
    };
    let motion = |x: f64, y: f64| {
        let (dx, dy) = (x - 320.0, y - 240.0);
        let turn = (-(dx * dx + dy * dy) / 2.5e4).exp();
        [2.0 - 0.03 * dy * turn, 0.03 * dx * turn]
    };
    // moving(y) is the texture; fixed(x) = texture(x + d(x))
    let at = |p: [usize; 3]| (p[0] as f64, p[1] as f64);
    let moving = Volume::from_fn(grid.clone(), |p| texture(at(p).0, at(p).1));
    let fixed = Volume::from_fn(grid.clone(), |p| {
        let (x, y) = at(p);
        let [u, v] = motion(x, y);
        texture(x + u, y + v)
    });
    let truth = Flow::from_fn(grid, |[x, y, _]| {
        let [u, v] = motion(x, y);
        [u, v, 0.0]
    });
    let pairs = [Pair::invent("frame10.png → frame11.png", [fixed, moving], truth, None)];
    check(
        &html(&run_report(&pairs), &view(&pairs[0]), &Control::default()).unwrap(),
        "picture.html",
        4_000_000,
    );
}

#[test]
fn a_sequence_has_curves_and_a_filmstrip() {
    let heart = heart(32, 10);
    let count = heart.frame_count();
    let pairs: Vec<Pair> = (1..count)
        .map(|t| {
            let title = format!("0 → {t}");
            let images = [heart.frame(0), heart.frame(t)];
            Pair::invent(&title, images, heart.motion(0, t), Some(heart.muscle(0)))
        })
        .collect();
    let shown = heart.end_systole() - 1;
    let film: Vec<Thumbnail> = pairs
        .iter()
        .map(|p| Thumbnail::of(&view(p), &view(&pairs[shown]), &Control::default()).unwrap())
        .collect();
    let page =
        sequence_html(&run_report(&pairs), &view(&pairs[shown]), shown, &film, &Control::default()).unwrap();
    check(&page, "sequence.html", 3_000_000);
    assert_eq!(page.matches("class=\"frame").count(), count - 1);
}

#[test]
fn nothing_found_is_shown_as_nothing() {
    let grid = Grid::volume(5, 1, 3).unwrap().with_spacing_mm([0.5, 1.0, 4.0]).unwrap();
    let flat = Volume::from_fn(grid.clone(), |_| 0.5);
    let mut pair = Pair::invent("a < b & c", [flat.clone(), flat], Flow::zeros(grid), None);
    for component in pair.estimate.components_vox_mut() {
        component.fill(f32::NAN);
    }
    pair.warped.data_mut().fill(f32::NAN);
    pair.jacobian.data_mut().fill(f32::NAN);
    let mut statistics = pair.statistics();
    statistics.method = MethodDiagnostics::default();
    let without_truth = PairView { truth: None, ..view(&pair) };
    let measured = PairReport::measure(&without_truth, statistics, &Control::default()).unwrap();
    let sound = [Pair::invent("sound", [pair.fixed.clone(), pair.moving.clone()], pair.truth.clone(), None)];
    let run = RunReport { pairs: vec![measured], ..run_report(&sound) };
    let page = html(&run, &without_truth, &Control::default()).unwrap();
    check(&page, "nothing.html", 200_000);
    assert!(page.contains("a &lt; b &amp; c") && !page.contains("a < b"), "titles are text, not markup");
    assert!(page.contains("no vector"));
}

/// A stack of seven slices that moves, with its mask.
fn thin_stack() -> Pair {
    let grid = Grid::volume(48, 40, 7)
        .and_then(|grid| grid.with_spacing_mm([1.5, 1.5, 10.0]))
        .expect("a grid of constants");
    let image = |shift: f32| {
        Volume::from_fn(grid.clone(), |[x, y, z]| {
            ((x as f32 - shift) * 0.3 + y as f32 * 0.2 + z as f32).sin()
        })
    };
    let flow = Flow::from_fn(grid.clone(), |_| [1.5, 0.0, 0.0]);
    let mask = Mask::from_fn(grid.clone(), |[x, ..]| x > 10);
    Pair::invent("cine", [image(0.0), image(1.5)], flow, Some(mask))
}

#[test]
fn a_thin_stack_is_shown_slice_by_slice_and_what_is_measured_in_its_mask_says_so() {
    let pair = thin_stack();
    let run = run_report(std::slice::from_ref(&pair));
    let page = html(&run, &view(&pair), &Control::default()).unwrap();
    check(&page, "thin.html", 3_000_000);
    assert!(page.contains(r#"class="pictures montage" style="--columns:4""#));
    for z in 0..7 {
        assert!(page.contains(&format!(">z = {z}</div>")), "slice {z}");
    }
    assert!(!page.contains("coronal"));
    for words in ["inside the mask: up to", "inside the mask: mean |det(I + ∇d) − 1|", "Mean volume change"]
    {
        assert!(page.contains(words), "{words}");
    }
    for gap in ["no vector", "no vector, or outside the moving image", "no vector, or no truth"] {
        assert!(page.contains(&format!("</svg>{gap}</span>")), "{gap}");
    }
    assert!(!page.contains("no estimate"));
}

#[test]
fn frames_of_a_sequence_have_their_numbers() {
    let pair = thin_stack();
    let numbered = |moving: usize| PairView { frames: Some([4, moving]), ..view(&pair) };
    let views = [6, 8, 10].map(numbered);
    let measured = views
        .iter()
        .map(|view| PairReport::measure(view, pair.statistics(), &Control::default()).unwrap())
        .collect();
    let run = RunReport { pairs: measured, ..run_report(std::slice::from_ref(&pair)) };
    let film: Vec<Thumbnail> =
        views.iter().map(|view| Thumbnail::of(view, &views[0], &Control::default()).unwrap()).collect();
    let page = sequence_html(&run, &views[1], 1, &film, &Control::default()).unwrap();
    assert!(page.contains("<figcaption>4 → 8<br>shown below</figcaption>"));
    for tick in [6, 8, 10] {
        assert!(page.contains(&format!(">{tick}</text>")), "{tick}");
    }
    assert_eq!(run.pairs[2].frames, Some([4, 10]));
}

#[test]
fn what_leaves_the_moving_image_is_counted_on_its_own_grid() {
    let pair = thin_stack();
    let fixed = pair.fixed.grid();
    // Every vector goes 1.5 voxels along x; the moving image begins four voxels later and is as long.
    let moving = fixed.clone().with_origin_mm([4.0 * 1.5, 0.0, 0.0]);
    let share = |moving_grid| {
        let whole = PairView { mask: None, moving_grid, ..view(&pair) };
        PairReport::measure(&whole, pair.statistics(), &Control::default()).unwrap().motion.outside_share
    };
    assert!((0.01..0.06).contains(&share(None)), "{}", share(None));
    assert_eq!(share(Some(fixed)), share(None));
    assert!((0.04..0.08).contains(&share(Some(&moving))) && share(Some(&moving)) != share(None));
}
