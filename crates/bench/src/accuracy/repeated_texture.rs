//! Matches of textures that repeat, joined with the method's own flow: pictures of stripes, a chequer, bricks and a facade whose
//! motion is known, made here.
//!
//! A picture has a background and, of some scenes, a rectangle before it. Each moves by an affine map of its own; what a rectangle
//! hides or uncovers counts as well. A pattern repeats; a faint texture upon it does not, and each image has noise of its own.
//! The first two patterns were used to choose how flows are joined, the third and fourth were looked at, the scenes with something
//! fast before a pattern took no part.

use crate::{BenchError, Figure, Session};
use veloxel_core::{Control, Flow, Grid, Volume};
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, DenseFlow, Matched, Pair, PairMethod};
use veloxel_phantoms::uniform;

const SIZE: [usize; 2] = [320, 240];
/// Middle and half sides of the rectangle.
const RECTANGLE: [[f64; 2]; 2] = [[0.45 * 320.0, 0.5 * 240.0], [0.25 * 320.0, 0.3 * 240.0]];
/// Standard deviation of each image's noise.
const NOISE: f64 = 0.015;
/// The error with matches over that without, at most.
const MOST_OVER_OWN: f64 = 1.02;

/// What repeats.
#[derive(Clone, Copy)]
struct Pattern {
    name: &'static str,
    /// In 0..1.
    at: fn(f64, f64) -> f64,
}

const PATTERNS: [Pattern; 4] = [
    Pattern { name: "stripes", at: |x, y| soft((std::f64::consts::TAU * (0.8 * x + 0.6 * y) / 11.0).sin()) },
    Pattern {
        name: "chequer",
        at: |x, y| soft([x, y].map(|v| (std::f64::consts::TAU * v / 14.0).sin()).iter().product()),
    },
    Pattern { name: "bricks", at: bricks },
    Pattern {
        name: "facade",
        at: |x, y| 1.0 - within(x.rem_euclid(13.0), 3.0, 10.0) * within(y.rem_euclid(17.0), 4.0, 13.0),
    },
];

fn soft(wave: f64) -> f64 {
    0.5 + 0.5 * (4.0 * wave).clamp(-1.0, 1.0)
}

fn within(at: f64, low: f64, high: f64) -> f64 {
    (at - low + 0.5).clamp(0.0, 1.0) * (high - at + 0.5).clamp(0.0, 1.0)
}

fn bricks(x: f64, y: f64) -> f64 {
    let row = (y / 9.0).floor().rem_euclid(2.0);
    within((x + 10.0 * row).rem_euclid(20.0), 1.0, 19.0) * within(y.rem_euclid(9.0), 1.0, 8.0)
}

/// Values between random ones on a lattice.
fn value_noise(x: f64, y: f64, cell: f64, seed: u64) -> f64 {
    let [x, y] = [x, y].map(|v| v / cell + 1000.0);
    let (column, row) = (x.floor(), y.floor());
    let [u, v] = [x - column, y - row].map(|t| t * t * (3.0 - 2.0 * t));
    let at = |i: u64, j: u64| uniform(seed, (row as u64 + j) * 4096 + column as u64 + i);
    (1.0 - v) * ((1.0 - u) * at(0, 0) + u * at(1, 0)) + v * ((1.0 - u) * at(0, 1) + u * at(1, 1))
}

/// Something that moves as a whole.
#[derive(Clone, Copy)]
struct Layer {
    /// The pattern upon its texture; without one it looks like a photograph.
    pattern: Option<Pattern>,
    shift: [f64; 2],
    turn: f64,
    growth: f64,
    seed: u64,
}

impl Layer {
    fn intensity(&self, [x, y]: [f64; 2]) -> f64 {
        let texture = 0.5 * value_noise(x, y, 3.0, self.seed) + 0.5 * value_noise(x, y, 9.0, self.seed + 1);
        self.pattern.map_or(0.15 + 0.7 * texture, |pattern| 0.2 + 0.5 * (pattern.at)(x, y) + 0.15 * texture)
    }

    fn there(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [cx, cy] = SIZE.map(|n| 0.5 * n as f64);
        let (u, v, a) = (x - cx, y - cy, 1.0 + self.growth);
        [cx + self.shift[0] + a * u - self.turn * v, cy + self.shift[1] + self.turn * u + a * v]
    }

    fn back(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [cx, cy] = SIZE.map(|n| 0.5 * n as f64);
        let (u, v, a) = (x - cx - self.shift[0], y - cy - self.shift[1], 1.0 + self.growth);
        let size = a * a + self.turn * self.turn;
        [cx + (a * u + self.turn * v) / size, cy + (a * v - self.turn * u) / size]
    }
}

/// A scene: what lies behind, what lies before it, and whose noise it has.
struct Scene {
    name: String,
    behind: Layer,
    before: Option<Layer>,
    seed: u64,
}

fn scenes() -> Vec<Scene> {
    let patterned = |(k, pattern): (usize, Pattern)| {
        let seed = |nth: u64| 100 * k as u64 + nth;
        let layer = |pattern, shift, turn, growth, seed| Layer { pattern, shift, turn, growth, seed };
        let own = Some(pattern);
        let small = |nth| layer(own, [1.3, -0.7], 0.01, 0.005, seed(nth));
        let object = |pattern, shift, nth| Some(layer(pattern, shift, 0.0, 0.02, seed(nth) + 10));
        [
            ("small motion", small(1), None, 1),
            ("large motion", layer(own, [22.0, 5.0], 0.0, 0.01, seed(2)), None, 2),
            ("on an object", layer(None, [1.0, 0.5], 0.004, 0.0, seed(3)), object(own, [18.0, -4.0], 3), 3),
            ("behind an object", small(4), object(None, [24.0, 6.0], 4), 4),
        ]
        .map(|(what, behind, before, nth)| Scene {
            name: format!("{}, {what}", pattern.name),
            behind,
            before,
            seed: seed(nth) + 20,
        })
    };
    PATTERNS.into_iter().enumerate().flat_map(patterned).collect()
}

fn is_in_rectangle(at: [f64; 2]) -> bool {
    (0..2).all(|a| (at[a] - RECTANGLE[0][a]).abs() < RECTANGLE[1][a])
}

impl Scene {
    /// Fixed and moving image, and the true field.
    fn images(&self) -> Result<([Volume<f32>; 2], Flow), BenchError> {
        let grid = Grid::image(SIZE[0], SIZE[1])?;
        let noise = |seed: u64, i: usize| {
            let (a, b) = (uniform(seed, 2 * i as u64), uniform(seed, 2 * i as u64 + 1));
            NOISE * (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
        };
        let image = |place: &dyn Fn(&Layer, [f64; 2]) -> [f64; 2], seed: u64| {
            Volume::from_fn(grid.clone(), |voxel| {
                let at = [voxel[0] as f64, voxel[1] as f64];
                let before = self.before.as_ref().filter(|layer| is_in_rectangle(place(layer, at)));
                let layer = before.unwrap_or(&self.behind);
                (layer.intensity(place(layer, at)) + noise(seed, grid.index(voxel))) as f32
            })
        };
        let fixed = image(&|_, at| at, self.seed);
        let moving = image(&|layer, at| layer.back(at), self.seed + 1);
        let truth = Flow::from_fn(grid.clone(), |[x, y, _]| {
            let layer = self.before.as_ref().filter(|_| is_in_rectangle([x, y])).unwrap_or(&self.behind);
            let there = layer.there([x, y]);
            [there[0] - x, there[1] - y, 0.0]
        });
        Ok(([fixed, moving], truth))
    }
}

/// `repeated-texture`: mean errors of the method alone, and joined with matches.
pub(crate) fn repeated_texture(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for scene in scenes() {
        let ([fixed, moving], truth) = scene.images()?;
        let pair = Pair::new(&fixed, &moving);
        let params = ClgParams::preset(ClgPreset::Accurate, fixed.grid().dimension());
        let method = || Clg::new(fixed.grid(), params.clone(), session.device);
        let error = |found: DenseFlow| flow_error(&found.flow, &truth, None, &Control::default());
        let alone = error(method()?.run(&pair)?)?.end_point_vox.mean;
        let joined = error(Matched::new(method()?).run(&pair)?)?.end_point_vox.mean;
        let figure = |what: &str, value| Figure::new(format!("{}: {what}", scene.name), value, "px");
        figures.push(figure("without matches", alone));
        figures.push(figure("with matches", joined).at_most(MOST_OVER_OWN * alone));
    }
    Ok(figures)
}
