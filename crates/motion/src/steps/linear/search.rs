//! The choice between brightness and mutual information, by the information that each of their maps leaves.
//!
//! *In*: the levels of both images, starts, and the map that brightness found. *Out*: the map that is taken.
//!
//! *Method*: maps of most information are looked for from turns of every start and from the map by brightness, on the coarsest level
//! that holds enough voxels and from there on finer ones. Where one of them shares clearly more information than the map by brightness,
//! that one is wrong: tones are others, or it has gone astray. No more is asked where the best map of the coarsest level is the one by
//! brightness, or where brightness explains nearly all of the variance. Less than that does not tell: a wrong map by brightness explains
//! as much where the background makes most of the variance.
//!
//! *Evidence*: `heads_in_other_tones_are_found`; the set `rigid` of docs/status/scores.md.
//!
//! *Cost*: a few dozen joint histograms of at most 2¹⁶ samples, by all threads of the host; where information decides, as many of at
//! most 2²¹.

use crate::error::Result;
use crate::steps::linear::information::{Comparison, Samples};
use crate::steps::linear::levels::{Levels, PyramidPair};
use crate::steps::linear::motion_group::{AffineModel, MotionGroup};
use crate::steps::pyramid::{between_grids, between_levels};
use veloxel_core::{Shape, Stopped, ThreadPool, Threads};
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::VoxelAffine;

/// What is known of the tones of both images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tones {
    /// Nothing.
    Unknown,
    /// They are frames of one sequence: other tones are thought of only where a coarse joint histogram shows them.
    OfOneSequence,
}

/// Voxels of the level on which maps of most information are looked for first, at least.
const SEARCHED_VOXELS: usize = 4096;
/// Voxels of the finest level on which the informations of two maps are compared, at most.
const MOST_COMPARED: usize = 1 << 19;
/// Voxels of the finest level that is read for mutual information. Smoothing shifts its maximum: on a brain with a quarter of the
/// voxels along each axis by 0.9 % of scale, with half of them by 0.2 %.
const MOST_READ: usize = 1 << 23;
/// The share of its information by which another map must have more for the one by brightness to be wrong. Brains of several persons in the
/// same tones reach 0.011.
const CLEARLY_MORE: f64 = 0.03;
/// The share by which brightness, begun from the map of most information, may end with less and still be the better measure.
const AS_MUCH: f64 = 0.005;
/// The share of the fixed image's variance by which a function of the moving image must explain more than that does as it is, for
/// their intensities to mean different things.
const DIFFERENT: f64 = 0.15;
/// The share of the fixed image's variance that a map by brightness explains where nothing is left to find: of images with few tones a map
/// that is wrong by a voxel may share more information than the exact one.
const NEARLY_ALL: f64 = 0.95;
/// Turns about every axis that are tried on the coarsest level, radians, and how many of the best are gone on with.
const TRIED_TURNS: [f64; 3] = [0.0, -0.35, 0.35];
const FOLLOWED: usize = 3;
/// Maps that differ by less than this are one, voxels of a level.
const SAME_VOX: f64 = 0.5;

impl Levels<'_> {
    /// What was found by brightness, unless another map shares clearly more information: then brightness has gone astray, or
    /// intensities mean different things, and the map of most information is taken. Where brightness, begun from there, stays, it is
    /// the more accurate measure.
    pub fn by_information(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        starts: &[VoxelAffine],
        tones: Tones,
        by_brightness: Result<VoxelAffine>,
    ) -> Result<VoxelAffine> {
        let searched = self.used(MOST_READ).find(|&nth| self.all[nth].shape.len() >= SEARCHED_VOXELS);
        let Some(searched) = searched.or_else(|| self.used(MOST_READ).last()) else { return by_brightness };
        let compared = self.used(MOST_COMPARED).last().map_or(searched, |nth| nth.min(searched));
        if let (Tones::OfOneSequence, Ok(own)) = (tones, &by_brightness)
            && !self.differ_on(device, images, searched, own)?
        {
            return by_brightness;
        }
        let on_host = self.on_host(device, images, compared)?;
        let Some(comparison) = Comparison::new(&on_host, Samples::Few, threads_of(device)) else {
            return by_brightness;
        };
        let on_level = |map: &VoxelAffine| between_levels(map, self.pair(compared));
        let information = |map: &VoxelAffine| comparison.information(&on_level(map));
        let own = by_brightness.as_ref().ok();
        if let Some(own) = own
            && comparison.explained(&on_level(own))?.as_is >= NEARLY_ALL
        {
            return by_brightness;
        }
        let Some(found) = self.searched(device, images, [searched, compared], starts, own)? else {
            return by_brightness;
        };
        let most = information(&found)?;
        if let Ok(own) = &by_brightness
            && (1.0 + CLEARLY_MORE) * information(own)? >= most
        {
            return by_brightness;
        }
        if let Ok(again) = self.by_brightness(device, images, found)
            && information(&again)? >= (1.0 - AS_MUCH) * most
        {
            return Ok(again);
        }
        if by_brightness.is_err() && !self.differ(&comparison, &on_level(&found))? {
            return by_brightness;
        }
        self.refined(device, images, compared, found)
    }

    /// [`Levels::differ`] on a level; nothing differs where no histogram can be made.
    fn differ_on(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        nth: usize,
        map: &VoxelAffine,
    ) -> Result<bool> {
        let on_host = self.on_host(device, images, nth)?;
        let Some(comparison) = Comparison::new(&on_host, Samples::Few, threads_of(device)) else {
            return Ok(false);
        };
        Ok(self.differ(&comparison, &between_levels(map, self.pair(nth)))?)
    }

    /// Whether intensities mean different things, as far as a map tells.
    fn differ(
        &self,
        comparison: &Comparison<'_>,
        on_level: &VoxelAffine,
    ) -> std::result::Result<bool, Stopped> {
        let explained = comparison.explained(on_level)?;
        Ok(explained.by_function - explained.as_is > DIFFERENT)
    }

    /// The map of most information on a level, from turns that are tried on a coarser one, `[searched, compared]`, and from the map by
    /// brightness; none where that one is the best of the coarser level already.
    fn searched(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        [searched, compared]: [usize; 2],
        starts: &[VoxelAffine],
        own: Option<&VoxelAffine>,
    ) -> Result<Option<VoxelAffine>> {
        let mut candidates: Vec<VoxelAffine> = Vec::new();
        for nth in (compared..=searched).rev() {
            let pair = self.on_host(device, images, nth)?;
            let levels = self.pair(nth);
            let (Some(comparison), Some(turns), Some(group)) = (
                Comparison::new(&pair, Samples::Few, threads_of(device)),
                self.group(AffineModel::Rigid, nth),
                self.group(self.model, nth),
            ) else {
                return Ok(candidates.first().copied());
            };
            let on_level = |maps: &[VoxelAffine]| -> Vec<VoxelAffine> {
                maps.iter().map(|map| between_levels(map, levels)).collect()
            };
            let mut begun = on_level(&candidates);
            if nth == searched {
                begun = best_turns(&comparison, &turns, &on_level(starts), levels[0].shape)?;
                begun.extend(own.map(|own| between_levels(own, levels)));
            }
            let aligned = begun.into_iter().map(|map| {
                let turned = comparison.align(&turns, map)?;
                if nth == compared { comparison.align(&group, turned.0) } else { Ok(turned) }
            });
            let best = distinct(aligned.collect::<std::result::Result<_, _>>()?, levels[0].shape);
            let stays = best
                .first()
                .zip(own)
                .is_some_and(|((map, _), own)| are_near(map, &between_levels(own, levels), levels[0].shape));
            if nth == searched && stays {
                return Ok(None);
            }
            candidates = best.into_iter().map(|(map, _)| between_grids(&map, levels)).collect();
        }
        Ok(candidates.first().copied())
    }

    /// A map of most information on the finer levels.
    fn refined(
        &self,
        device: &Device,
        images: &PyramidPair<'_>,
        compared: usize,
        mut found: VoxelAffine,
    ) -> Result<VoxelAffine> {
        for nth in self.used(MOST_READ).filter(|&nth| nth <= compared) {
            let pair = self.on_host(device, images, nth)?;
            let levels = self.pair(nth);
            let (Some(comparison), Some(group)) =
                (Comparison::new(&pair, Samples::Many, threads_of(device)), self.group(self.model, nth))
            else {
                return Ok(found);
            };
            let (map, _) = comparison.align(&group, between_levels(&found, levels))?;
            found = between_grids(&map, levels);
        }
        Ok(found)
    }
}

/// Who looks at the samples of a level on the host of a device.
fn threads_of(device: &Device) -> Threads<'_> {
    Threads::of(device.host_threads().map(|cpu| cpu as &dyn ThreadPool), device.control())
}

/// The turns and shifts of most information that tried turns of the starts lead to.
fn best_turns(
    compared: &Comparison<'_>,
    turns: &MotionGroup,
    starts: &[VoxelAffine],
    shape: Shape,
) -> std::result::Result<Vec<VoxelAffine>, Stopped> {
    let centre = shape.size.map(|n| 0.5 * (n as f64 - 1.0));
    let (d, axes) = (shape.components(), if shape.components() == 2 { 1 } else { 3 });
    let count = TRIED_TURNS.len();
    let mut tried = Vec::new();
    for start in starts {
        for nth in 0..count.pow(axes) {
            let angles = (0..axes).map(|axis| TRIED_TURNS[nth / count.pow(axis) % count]);
            let unknowns: Vec<f64> = angles.chain(vec![0.0; d]).collect();
            let map = start.after(&turns.step(&unknowns, centre));
            tried.push((map, compared.information(&map)?));
        }
    }
    tried.sort_by(|a, b| b.1.total_cmp(&a.1));
    let followed = tried.into_iter().take(FOLLOWED).map(|(map, _)| compared.align(turns, map));
    let found = distinct(followed.collect::<std::result::Result<_, _>>()?, shape);
    Ok(found.into_iter().map(|(map, _)| map).collect())
}

/// Maps that differ, those of most information first.
fn distinct(mut maps: Vec<(VoxelAffine, f64)>, shape: Shape) -> Vec<(VoxelAffine, f64)> {
    maps.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut out: Vec<(VoxelAffine, f64)> = Vec::new();
    for (map, information) in maps {
        if !out.iter().any(|(other, _)| are_near(other, &map, shape)) {
            out.push((map, information));
        }
    }
    out
}

/// Whether two maps of a grid onto itself are one, to within [`SAME_VOX`].
fn are_near(a: &VoxelAffine, b: &VoxelAffine, shape: Shape) -> bool {
    (0..8).all(|nth| {
        let corner = [0, 1, 2].map(|a| if nth >> a & 1 == 1 { shape.size[a] as f64 - 1.0 } else { 0.0 });
        let (a, b) = (a.apply(corner), b.apply(corner));
        (0..3).all(|axis| (a[axis] - b[axis]).abs() < SAME_VOX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::frame::Frame;
    use crate::steps::linear::affine_registration::{affine_registration, invert};
    use veloxel_core::{Axes, Dimension, Grid, Volume};

    /// Tones of the background and of four tissues.
    type Tones = [f64; 5];
    const TONES: Tones = [0.0, 0.4, 0.6, 0.8, 1.0];

    /// An ellipsoid with others in it: centre, half axes and tissue; a position counts from the middle of the grid.
    struct Head(Vec<(Axes<f64>, Axes<f64>, usize)>);

    impl Head {
        fn new(planar: bool, radius: f64) -> Self {
            let mut state = 0x9E37_79B9_7F4A_7C15u64 ^ 0x123_4567;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            (0..4).for_each(|_| {
                next();
            });
            let third = |v: f64, flat: f64| if planar { flat } else { v };
            let mut parts = vec![([0.0; 3], [0.8 * radius, 0.68 * radius, third(0.72 * radius, 1e9)], 1)];
            for _ in 0..if planar { 8 } else { 14 } {
                let axes = if planar { 2 } else { 3 };
                let mut centre = [0.0; 3];
                centre[..axes].fill_with(|| 0.95 * radius * (next() - 0.5));
                let mut half = [1e9; 3];
                half[..axes].fill_with(|| radius * (0.12 + 0.18 * next()));
                parts.push((centre, half, 2 + (3.0 * next()) as usize));
            }
            Self(parts)
        }

        fn tone(&self, p: Axes<f64>, tones: &Tones) -> f64 {
            self.0.iter().fold(tones[0], |tone, (centre, half, tissue)| {
                let radius = (0..3).map(|a| ((p[a] - centre[a]) / half[a]).powi(2)).sum::<f64>().sqrt();
                let narrowest = half.iter().fold(1e9, |a: f64, b| a.min(*b));
                let inside = 1.0 / (1.0 + ((radius - 1.0) * narrowest / 0.6).clamp(-40.0, 40.0).exp());
                tone + inside * (tones[*tissue] - tone)
            })
        }
    }

    /// The largest error at a corner, voxels, of a head whose tissues have other tones in the moving image.
    fn error_vox(dimension: Dimension, tones: &Tones, model: AffineModel) -> f64 {
        let planar = dimension == Dimension::Two;
        let grid = if planar { Grid::image(96, 80) } else { Grid::volume(48, 44, 40) }.unwrap();
        let (s, c) = (if planar { 15f64 } else { 12.0 }).to_radians().sin_cos();
        let mut matrix = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        if model == AffineModel::Affine {
            matrix = [[1.05, -0.12, 0.0], [0.13, 0.96, 0.0], [0.0, 0.0, 1.0]];
        }
        let middle = grid.size().map(|n| 0.5 * (n as f64 - 1.0));
        let stays = VoxelAffine { matrix, offset: [0.0; 3] }.apply(middle);
        let shift = [3.1, -2.4, if planar { 0.0 } else { 1.6 }];
        let truth = VoxelAffine { matrix, offset: [0, 1, 2].map(|a| middle[a] - stays[a] + shift[a]) };
        let back = invert(&truth).unwrap();
        let head = Head::new(planar, if planar { 44.0 } else { 24.0 });
        let from_middle = |p: Axes<f64>| [0, 1, 2].map(|a| p[a] - middle[a]);
        let fixed =
            Volume::from_fn(grid.clone(), |p| head.tone(from_middle(p.map(|v| v as f64)), &TONES) as f32);
        let moving = Volume::from_fn(grid.clone(), |p| {
            head.tone(from_middle(back.apply(p.map(|v| v as f64))), tones) as f32
        });
        let device = veloxel_gpu::Device::cpu(2).unwrap();
        let images = [&fixed, &moving].map(|image| Frame::upload(&device, image).unwrap());
        let found = affine_registration(images.each_ref(), None, model).unwrap();
        let corner_error = |nth: usize| {
            let at = [0, 1, 2].map(|a| if nth >> a & 1 == 1 { 2.0 * middle[a] } else { 0.0 });
            let (found, truth) = (found.apply(at), truth.apply(at));
            (0..3).map(|a| (found[a] - truth[a]).powi(2)).sum::<f64>().sqrt()
        };
        (0..8).map(corner_error).fold(0.0, f64::max)
    }

    #[test]
    fn heads_in_other_tones_are_found() {
        let kinds: [(&str, Tones); 6] = [
            ("the same tones", TONES),
            ("bright and dark exchanged", [1.0, 0.6, 0.4, 0.2, 0.0]),
            ("tissues exchanged", [0.0, 0.8, 0.35, 1.0, 0.55]),
            ("two tissues alike, twice", [0.0, 0.7, 0.3, 0.3, 0.7]),
            ("three tissues nearly alike, as in CT", [0.0, 0.5, 0.48, 0.53, 1.0]),
            ("saturated", [0.0, 0.4, 0.6, 0.6, 0.6]),
        ];
        let mut wrong = Vec::new();
        for dimension in [Dimension::Two, Dimension::Three] {
            for model in [AffineModel::Rigid, AffineModel::Affine] {
                // Volumes take longer: the kinds that were farthest off there.
                let (first, count) = match (dimension, model) {
                    (Dimension::Two, _) => (0, kinds.len()),
                    (_, AffineModel::Rigid) => (2, 1),
                    _ => (3, 1),
                };
                for (kind, tones) in kinds.iter().skip(first).take(count) {
                    let error = error_vox(dimension, tones, model);
                    println!("{dimension:?} {model:?} {kind}: {error:.3} voxel");
                    // Wrong optima lay 3 to 65 voxels away. An affine map gives way to the edges between three tones.
                    if error > if model == AffineModel::Rigid { 1.0 } else { 2.5 } {
                        wrong.push(format!("{dimension:?} {model:?} {kind}: {error:.3}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
