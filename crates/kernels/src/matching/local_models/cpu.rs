//! Processor text of [`super::LocalModels`] and [`super::ModelField`].

use super::{FAR, Guess, LEAST_WEIGHT, LocalModels, ModelField, REFITS, RIDGE, SPREAD, STEP, cells, reach};
use crate::matching::match_nodes::Nodes;
use crate::shared::exponential::exponential;
use std::array::from_fn;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, components, components_mut};

/// A model: for every component the value at a position, then three slopes; in the plane the last one is 0.
type Model<const D: usize> = [[f32; 4]; D];

/// A match in the window of a node.
struct Seen<const D: usize> {
    /// Position relative to the node.
    offset: [f32; 3],
    vector: [f32; D],
    weight: f32,
}

/// Indices and positions of the nodes at most so many steps from one along every axis, cut at the border.
fn around<const D: usize>(
    shape: Shape,
    at: Axes<usize>,
    reach: usize,
) -> impl Iterator<Item = (usize, Axes<usize>)> {
    let [x, y, z] = from_fn(|a| match a < D {
        true => at[a].saturating_sub(reach)..=(at[a] + reach).min(shape.size[a] - 1),
        false => 0..=0,
    });
    let rows = z.flat_map(move |z| y.clone().map(move |y| (y, z)));
    rows.flat_map(move |(y, z)| {
        x.clone().map(move |x| ((z * shape.size[1] + y) * shape.size[0] + x, [x, y, z]))
    })
}

fn squared_steps<const D: usize>(a: Axes<usize>, b: Axes<usize>) -> f32 {
    (0..D).map(|axis| a[axis].abs_diff(b[axis]).pow(2)).sum::<usize>() as f32
}

fn value<const D: usize>(model: &Model<D>, offset: [f32; 3], c: usize) -> f32 {
    let mut sum = model[c][0];
    for a in 0..D {
        sum += model[c][a + 1] * offset[a];
    }
    sum
}

/// The vector from one position to another.
fn offset<const D: usize>(from: [f32; D], to: [f32; D]) -> [f32; 3] {
    let mut offset = [0.0; 3];
    for a in 0..D {
        offset[a] = to[a] - from[a];
    }
    offset
}

/// The model of one position, expressed at another one.
fn moved<const D: usize>(model: &Model<D>, from: [f32; D], to: [f32; D]) -> Model<D> {
    let (mut out, offset) = (*model, offset(from, to));
    for c in 0..D {
        out[c][0] = value(model, offset, c);
    }
    out
}

/// The fit at one node.
struct Fit<'a, const D: usize> {
    seen: &'a [Seen<D>],
    /// The squared scale τ².
    residual2: f32,
    per_window: f32,
}

impl<const D: usize> Fit<'_, D> {
    fn energy(&self, model: &Model<D>) -> f32 {
        let mut sum = 0.0;
        for seen in self.seen {
            let square = self.residual(model, seen).1;
            sum += seen.weight * square * (1.0 / (square + self.residual2));
        }
        sum
    }

    /// The residual of a model at a match, and its square.
    fn residual(&self, model: &Model<D>, seen: &Seen<D>) -> ([f32; D], f32) {
        let (mut missing, mut square) = ([0.0; D], 0.0);
        for c in 0..D {
            missing[c] = seen.vector[c] - value(model, seen.offset, c);
            square += missing[c] * missing[c];
        }
        (missing, square)
    }

    /// One step of reweighted least squares.
    fn refit(&self, model: &mut Model<D>) {
        let mut rows = [[0.0; 4]; 4];
        (0..4).for_each(|i| rows[i][i] = RIDGE);
        let mut sums = [[0.0; 4]; D];
        for seen in self.seen {
            let (missing, square) = self.residual(model, seen);
            let share = self.residual2 * (1.0 / (square + self.residual2));
            let weight = seen.weight * share * share;
            let [x, y, z] = seen.offset.map(|offset| offset * self.per_window);
            let basis = [1.0, x, y, z];
            for i in 0..4 {
                let weighted = weight * basis[i];
                for j in i..4 {
                    rows[i][j] += weighted * basis[j];
                }
                for c in 0..D {
                    sums[c][i] += weighted * missing[c];
                }
            }
        }
        let solved = solve(&rows, &sums);
        for c in 0..D {
            model[c][0] += solved[c][0];
            for a in 0..D {
                model[c][a + 1] += solved[c][a + 1] * self.per_window;
            }
        }
    }
}

/// Solves a symmetric system of which the upper triangle is given.
fn solve<const D: usize>(n: &[[f32; 4]; 4], sums: &[[f32; 4]; D]) -> [[f32; 4]; D] {
    let r0 = 1.0 / n[0][0];
    let [l10, l20, l30] = [n[0][1] * r0, n[0][2] * r0, n[0][3] * r0];
    let r1 = 1.0 / (n[1][1] - l10 * n[0][1]);
    let (e2, e3) = (n[1][2] - l10 * n[0][2], n[1][3] - l10 * n[0][3]);
    let (l21, l31) = (e2 * r1, e3 * r1);
    let r2 = 1.0 / (n[2][2] - l20 * n[0][2] - l21 * e2);
    let f3 = n[2][3] - l20 * n[0][3] - l21 * e3;
    let l32 = f3 * r2;
    let r3 = 1.0 / (n[3][3] - l30 * n[0][3] - l31 * e3 - l32 * f3);
    sums.map(|b| {
        let y1 = b[1] - l10 * b[0];
        let y2 = b[2] - l20 * b[0] - l21 * y1;
        let y3 = b[3] - l30 * b[0] - l31 * y1 - l32 * y2;
        let x3 = y3 * r3;
        let x2 = y2 * r2 - l32 * x3;
        let x1 = y1 * r1 - l21 * x2 - l31 * x3;
        [b[0] * r0 - l10 * x1 - l20 * x2 - l30 * x3, x1, x2, x3]
    })
}

fn load<const D: usize>(models: &[f32], count: usize, index: usize) -> Model<D> {
    let plane = |plane: usize| models[plane * count + index];
    from_fn(|c| from_fn(|k| if k <= D { plane(c * (D + 1) + k) } else { 0.0 }))
}

pub(super) fn local_models<const D: usize>(cpu: &Cpu, args: LocalModels<'_>) {
    let LocalModels { shape, scales, nodes, guess, out } = args;
    let [nx, ny, nz] = shape.size;
    let nodes = Nodes::<D> { shape, samples: nodes.host() };
    let per_intensity2 = 0.5 / (scales.intensity * scales.intensity);
    let out = Shared::new(out.host_mut());
    cpu.split(ny * nz, 2000 * shape.len(), |rows| {
        let mut seen = Vec::with_capacity((2 * reach(D) + 1).pow(D as u32));
        for (row, x) in rows.flat_map(|row| (0..nx).map(move |x| (row, x))) {
            let (index, at) = (row * nx + x, [x, row % ny, row / ny]);
            look_around(&nodes, index, at, per_intensity2, &mut seen);
            let residual2 = scales.residual_vox * scales.residual_vox;
            let fit = Fit { seen: &seen, residual2, per_window: 1.0 / scales.window_vox };
            let mut model = best_candidate(&fit, &nodes, guess, index, at, per_intensity2);
            (0..REFITS).for_each(|_| fit.refit(&mut model));
            for c in 0..D {
                for k in 0..=D {
                    let at = (c * (D + 1) + k) * shape.len() + index;
                    // SAFETY: every sample is written by one thread.
                    let slot = unsafe { out.get_mut(at..at + 1) };
                    slot[0] = model[c][k];
                }
            }
        }
    });
}

/// The matches in the window of a node.
fn look_around<const D: usize>(
    nodes: &Nodes<'_, D>,
    index: usize,
    at: Axes<usize>,
    per_intensity2: f32,
    seen: &mut Vec<Seen<D>>,
) {
    seen.clear();
    let (own, intensity) = (nodes.position(index), nodes.intensity(index));
    for (other, _) in around::<D>(nodes.shape, at, reach(D)) {
        let weight = nodes.weight(other);
        if weight > 0.0 {
            let apart = nodes.intensity(other) - intensity;
            let weight = weight * exponential(-(apart * apart * per_intensity2));
            let offset = offset(own, nodes.position(other));
            seen.push(Seen { offset, vector: nodes.vector(other), weight });
        }
    }
}

/// The candidate of least energy.
fn best_candidate<const D: usize>(
    fit: &Fit<'_, D>,
    nodes: &Nodes<'_, D>,
    guess: Guess<'_>,
    index: usize,
    at: Axes<usize>,
    per_intensity2: f32,
) -> Model<D> {
    let (own, intensity) = (nodes.position(index), nodes.intensity(index));
    let factor = if guess.shape == nodes.shape { 1 } else { 2 };
    let from = from_fn(|a| (at[a] / factor).min(guess.shape.size[a] - 1));
    let guessed = Nodes::<D> { shape: guess.shape, samples: guess.nodes.host() };
    let models = guess.models.host();
    let far = |apart: f32, steps: f32| FAR * (apart * apart * per_intensity2 + STEP * steps);
    let model_of =
        |other: usize| moved(&load::<D>(models, guess.shape.len(), other), guessed.position(other), own);
    let (mut best, mut least) = ([[0.0; 4]; D], f32::MAX);
    let mut consider = |candidate: Model<D>, far: f32| {
        let energy = fit.energy(&candidate) + far;
        if energy < least {
            (best, least) = (candidate, energy);
        }
    };
    for (other, place) in around::<D>(guess.shape, from, 1) {
        let apart = guessed.intensity(other) - intensity;
        consider(model_of(other), far(apart, squared_steps::<D>(place, from)));
    }
    let here = model_of((from[2] * guess.shape.size[1] + from[1]) * guess.shape.size[0] + from[0]);
    for (other, place) in around::<D>(nodes.shape, at, 1) {
        if nodes.weight(other) > 0.0 {
            let (offset, vector) = (offset(own, nodes.position(other)), nodes.vector(other));
            let mut candidate = here;
            for c in 0..D {
                candidate[c][0] += vector[c] - value(&here, offset, c);
            }
            let apart = nodes.intensity(other) - intensity;
            consider(candidate, far(apart, squared_steps::<D>(place, at)));
        }
    }
    best
}

pub(super) fn model_field<const D: usize>(cpu: &Cpu, args: ModelField<'_>) {
    let ModelField { shape, width, intensity, image, nodes, models, kept, out } = args;
    let [nx, ny, _] = shape.size;
    let grid = cells(shape, width);
    let nodes = Nodes::<D> { shape: grid, samples: nodes.host() };
    let (models, image) = (models.host(), image.host());
    let per_intensity2 = 0.5 / (intensity * intensity);
    let (per_width, half) = (1.0 / width as f32, 0.5 * (width as f32 - 1.0));
    let kept = kept.map(|kept| (components::<D>(kept.field), kept.weight.host()));
    cpu.split_rows(components_mut::<D>(out), nx, 300 * shape.len(), |row, out| {
        for x in 0..nx {
            let (index, voxel) = (row * nx + x, [x, row % ny, row / ny]);
            if let Some((field, _)) = kept.filter(|(_, weight)| weight[index] > 0.5) {
                (0..D).for_each(|c| out[c][x] = field[c][index]);
                continue;
            }
            let position: [f32; D] = from_fn(|a| voxel[a] as f32);
            let (mut total, mut sum) = (0.0, [0.0; D]);
            for (node, place) in around::<D>(grid, voxel.map(|v| v / width), 1) {
                let apart = nodes.intensity(node) - image[index];
                let mut steps2 = 0.0;
                for a in 0..D {
                    let steps = ((place[a] * width) as f32 + half - position[a]) * per_width;
                    steps2 += steps * steps;
                }
                let exponent = apart * apart * per_intensity2;
                let weight = LEAST_WEIGHT + exponential(-(exponent + SPREAD * steps2));
                let model = moved(&load::<D>(models, grid.len(), node), nodes.position(node), position);
                total += weight;
                for c in 0..D {
                    sum[c] += weight * model[c][0];
                }
            }
            let share = 1.0 / total;
            (0..D).for_each(|c| out[c][x] = sum[c] * share);
        }
    });
}
