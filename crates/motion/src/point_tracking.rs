//! Points followed from frame to frame of a stream: pyramidal Lucas-Kanade around each, checked by the way back; and corners
//! to begin with.
//!
//! *In*: pictures of one size (`f32`), one after the other, and positions in pixels of the one before. *Out*: where they are,
//! and what became of each. *Paper*: J.-Y. Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000;
//! J. Shi, C. Tomasi, "Good features to track", CVPR 1994 (corners: windows whose lesser eigenvalue is large); Z. Kalal,
//! K. Mikolajczyk, J. Matas, "Forward-backward error", ICPR 2010.
//!
//! *Cost*: a pyramid a frame, which stays on the device for the next one; one launch a direction.
//! *Evidence*: `tests/motion/point_tracking.rs`. *Limits*: windows must keep their look from frame to frame; motion is found up
//! to about the window's radius on the coarsest level.

use crate::error::{MotionError, Result};
use crate::method::calibration::LengthErrors;
use crate::steps::buffers::copied_run;
use veloxel_core::{Dimension, Grid, Mask, Shape, Volume};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::matching::least_eigenvalue::LeastEigenvalue;
use veloxel_kernels::matching::sparse_lucas_kanade::{
    MOST_RADIUS, PointFate, PointSearch, SparseLucasKanade,
};
use veloxel_kernels::phase::gabor::{Levels, MOST_LEVELS, Picture, Pyramid};
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm, MotionTensor};
use veloxel_kernels::{Kernel, Taps};

/// How points are followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackingParameters {
    /// Half the window, pixels, 1 to 15. Small: details; large: safe.
    pub radius: usize,
    /// Levels of the pyramid at most, 1 to 13. Each one more doubles the motion that is found.
    pub levels: usize,
    /// Steps of a level at most.
    pub iterations: usize,
    /// The finest level ends when steps become shorter than this, pixels.
    pub tolerance_px: f32,
    /// Least eigenvalue of a window's mean `∇I ∇Iᵀ`, with white as 1, per px².
    pub least_contrast: f32,
    /// Longest distance between a point and where the way there and back ends, pixels. 0: no check, half the work.
    pub check_px: f32,
}

impl Default for TrackingParameters {
    fn default() -> Self {
        Self {
            radius: 10,
            levels: 4,
            iterations: 20,
            tolerance_px: 0.01,
            least_contrast: 1.5e-6,
            check_px: 1.0,
        }
    }
}

/// What became of a point in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointStatus {
    /// It was found.
    Found,
    /// It has no position to begin with.
    Undefined,
    /// It lies outside of the picture to begin with.
    Outside,
    /// It left the picture.
    Left,
    /// Its window has too little contrast, or none but along one edge.
    Flat,
    /// The way back leads elsewhere.
    Inconsistent,
    /// It lies in a hole of the picture before, or leads to one of this picture: samples that are NaN or infinite.
    Hole,
}

impl PointStatus {
    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Undefined => "undefined",
            Self::Outside => "outside",
            Self::Left => "left",
            Self::Flat => "flat",
            Self::Inconsistent => "inconsistent",
            Self::Hole => "hole",
        }
    }

    fn of(fate: PointFate) -> Self {
        match fate {
            PointFate::Found => Self::Found,
            PointFate::Undefined => Self::Undefined,
            PointFate::Outside => Self::Outside,
            PointFate::Left => Self::Left,
            PointFate::Flat => Self::Flat,
        }
    }
}

/// A point in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackedPoint {
    /// Pixels; NaN unless a position was found, be it a wrong one.
    pub at_px: [f32; 2],
    /// What became of it.
    pub status: PointStatus,
    /// Mean absolute difference of its windows, in the pictures' unit; NaN without a position.
    pub error: f32,
    /// How far from where it was the way back ends, pixels; NaN without a check.
    pub forward_backward_px: f32,
}

impl TrackedPoint {
    /// The expected error of the step from the frame before, pixels; NaN unless it was found, and without a check.
    pub fn expected_error_px(&self, errors: &LengthErrors) -> f32 {
        match self.status {
            PointStatus::Found => errors.expected_px(self.forward_backward_px),
            _ => f32::NAN,
        }
    }
}

/// Follows points through a stream of frames of one size.
#[derive(Debug)]
pub struct PointTracker {
    device: Device,
    grid: Grid,
    search: PointSearch,
    check_px: f32,
    levels: Levels,
    /// Pyramid of the last frame.
    pyramid: Option<Buffer>,
}

impl PointTracker {
    /// Plans the pyramid for pictures of a grid, whose white is `white`.
    ///
    /// # Errors
    /// [`MotionError::NotAPicture`]; [`MotionError::Sequence`] for pictures smaller than the window, and for parameters out of
    /// their ranges.
    pub fn new(grid: &Grid, parameters: TrackingParameters, white: f32, device: &Device) -> Result<Self> {
        let [nx, ny, nz] = grid.size();
        if grid.dimension() != Dimension::Two {
            let got = format!("{nx} × {ny} × {nz}");
            return Err(MotionError::NotAPicture { what: "frame 0".to_owned(), got });
        }
        let TrackingParameters { radius, levels, iterations, tolerance_px, least_contrast, check_px } =
            parameters;
        let refuse = |reason: String| Err(MotionError::Sequence { reason });
        let side = 2 * radius + 1;
        if !(1..=MOST_RADIUS).contains(&radius) || !(1..=MOST_LEVELS).contains(&levels) || iterations == 0 {
            return refuse(format!(
                "a radius of 1 to {MOST_RADIUS} pixels, 1 to {MOST_LEVELS} levels and one iteration or more are needed, got \
                 {radius}, {levels} and {iterations}"
            ));
        }
        if nx.min(ny) < side {
            let sizes =
                format!("pictures of {nx} × {ny} are smaller than the window of {side} × {side} pixels");
            return refuse(format!("{sizes}: choose a smaller one"));
        }
        let search = PointSearch {
            radius,
            iterations,
            tolerance_px,
            least_eigenvalue: least_contrast * white * white,
        };
        // A level must hold a window.
        let levels = Levels::new([nx, ny], side, levels);
        Ok(Self { device: device.clone(), grid: grid.clone(), search, check_px, levels, pyramid: None })
    }

    /// Takes the next frame, and finds in it points of the frame before; of the first frame none can be found.
    ///
    /// # Errors
    /// [`MotionError::Input`] for a frame of another size or with samples that are not finite;
    /// [`MotionError::Compute`] if the device fails.
    pub fn advance(&mut self, frame: &Volume<f32>, points_px: &[[f32; 2]]) -> Result<Vec<TrackedPoint>> {
        self.grid.require_same(frame.grid(), "the first frame and a later one")?;
        frame.require_finite("a frame", |_| false)?;
        let device = self.device.clone();
        device.scope(|| {
            let picture = Picture::from_samples(&device, frame.data())?;
            let mut next = device.scratch(self.levels.len())?;
            Pyramid { levels: &self.levels, pictures: &[&picture], out: &mut [&mut next] }.run(&device)?;
            let found = match &self.pyramid {
                Some(last) if !points_px.is_empty() => self.follow([last, &next], points_px)?,
                _ => Vec::new(),
            };
            self.pyramid = Some(next);
            Ok(found)
        })
    }

    fn follow(&self, [last, next]: [&Buffer; 2], points_px: &[[f32; 2]]) -> Result<Vec<TrackedPoint>> {
        let device = &self.device;
        let upload = |a: usize| device.upload(points_px.iter().map(|p| p[a]).collect());
        let points = [upload(0)?, upload(1)?];
        let forward = self.find([last, next], points.each_ref())?;
        let back = (self.check_px > 0.0).then(|| self.find([next, last], [&forward[0], &forward[1]]));
        let back = back.transpose()?;
        let read = |[x, y, error, fate]: [Buffer; 4]| -> Result<[Vec<f32>; 4]> {
            let mut read = device.download_all_after(vec![x, y, error, fate], None)?.into_iter();
            Ok(std::array::from_fn(|_| read.next().unwrap_or_default()))
        };
        let [x, y, error, fate] = read(forward)?;
        let back = back.map(read).transpose()?;
        let tracked = |i: usize| {
            let away =
                |back: &[Vec<f32>; 4]| (back[0][i] - points_px[i][0]).hypot(back[1][i] - points_px[i][1]);
            let forward_backward_px = back.as_ref().map_or(f32::NAN, away);
            let mut status = PointStatus::of(PointFate::of_code(fate[i]));
            let leads_home = forward_backward_px <= self.check_px;
            if status == PointStatus::Found && back.is_some() && !leads_home {
                status = PointStatus::Inconsistent;
            }
            TrackedPoint { at_px: [x[i], y[i]], status, error: error[i], forward_backward_px }
        };
        Ok((0..points_px.len()).map(tracked).collect())
    }

    /// Where points are found: x, y, error and fate.
    fn find(&self, [first, second]: [&Buffer; 2], points: [&Buffer; 2]) -> Result<[Buffer; 4]> {
        let buffer = || self.device.scratch(points[0].len());
        let mut found = [buffer()?, buffer()?, buffer()?, buffer()?];
        let [x, y, error, fate] = &mut found;
        let (levels, search, guesses, moved) = (&self.levels, self.search, None, [x, y]);
        SparseLucasKanade { levels, search, first, second, points, guesses, moved, error, fate }
            .run(&self.device)?;
        Ok(found)
    }

    /// The corners of the last frame, the best ones first: at most `count`, `distance_px` from each other and from points that
    /// are there already, and with at least a hundredth of the best one's contrast. None lies so near a hole that its window has a
    /// part in it; `known` says where the picture has data.
    ///
    /// # Errors
    /// [`MotionError::Compute`] if the device fails.
    pub fn corners(
        &self,
        count: usize,
        distance_px: f32,
        there_px: &[[f32; 2]],
        known: Option<&Mask>,
    ) -> Result<Vec<[f32; 2]>> {
        let Some(pyramid) = &self.pyramid else { return Ok(Vec::new()) };
        let device = &self.device;
        let shape = Shape::of(&self.grid);
        let image = copied_run(device, pyramid, 0, shape.len())?;
        let term = DataTerm {
            shape,
            spacing_edges: [1.0; 3],
            scheme: Scheme::Central4,
            constraint: Constraint::Plain,
            pairs: &[(&image, &image)],
            weight: None,
        };
        let mut tensor = device.scratch_field(shape.tensor_entries() + 2, shape.len())?;
        let taps = &isotropic(&Taps::gaussian(CORNER_WINDOW_PX, 2.5));
        MotionTensor { term, taps, out: &mut tensor }.run(device)?;
        let mut score = device.scratch(shape.len())?;
        Operation::Fill(1.0).on(&mut score).run(device)?;
        // A function that grows with the eigenvalue.
        let half = self.search.least_eigenvalue.max(f32::MIN_POSITIVE);
        LeastEigenvalue { shape, half, tensor: &tensor, windows: None, confidence: &mut score }
            .run(device)?;
        let mut score = device.download(score)?;
        if let Some(known) = known {
            let far = far_from_holes(known, CORNER_REACH_PX);
            score.iter_mut().zip(far).filter(|(_, far)| !far).for_each(|(score, _)| *score = 0.0);
        }
        Ok(spread_out(&score, shape.size[0], count, distance_px, there_px))
    }
}

/// Standard deviation of the window that decides what a corner is, pixels.
const CORNER_WINDOW_PX: f64 = 1.5;
/// How far the samples lie that the score of a corner depends on, pixels: those of its window, and of their gradients.
const CORNER_REACH_PX: usize = 6;

/// Which pixels are farther from every hole than `reach_px`, along the axes.
fn far_from_holes(known: &Mask, reach_px: usize) -> Vec<bool> {
    let [nx, ny, _] = known.grid().size();
    let mut far = known.data().to_vec();
    let along = |far: &mut Vec<bool>, lines: usize, count: usize, at: &dyn Fn(usize, usize) -> usize| {
        for line in 0..lines {
            let own: Vec<bool> = (0..count).map(|nth| far[at(line, nth)]).collect();
            for nth in (0..count).filter(|&nth| !own[nth]) {
                let around = nth.saturating_sub(reach_px)..(nth + reach_px + 1).min(count);
                around.for_each(|nth| far[at(line, nth)] = false);
            }
        }
    };
    along(&mut far, ny, nx, &|y, x| y * nx + x);
    along(&mut far, nx, ny, &|x, y| y * nx + x);
    far
}

/// Share of the best corner's eigenvalue that a corner must have.
const LEAST_SHARE: f32 = 0.01;

/// Maxima of a score `λ / (λ + half)`, the best first, at a distance from each other and from others.
fn spread_out(
    score: &[f32],
    nx: usize,
    count: usize,
    distance_px: f32,
    there_px: &[[f32; 2]],
) -> Vec<[f32; 2]> {
    let ny = score.len() / nx;
    let eigenvalue = |s: f32| s / (1.0 - s).max(f32::EPSILON);
    let best = score.iter().copied().fold(0.0f32, |best, s| best.max(eigenvalue(s)));
    let is_maximum = |i: usize| {
        let (x, y) = (i % nx, i / nx);
        let own = score[i];
        let around = (y.saturating_sub(1)..(y + 2).min(ny))
            .flat_map(|y| (x.saturating_sub(1)..(x + 2).min(nx)).map(move |x| y * nx + x));
        // Of equal neighbours the first one counts.
        around.filter(|&j| j != i).all(|j| score[j] < own || (score[j] == own && j > i))
    };
    let mut candidates: Vec<usize> = (0..score.len())
        .filter(|&i| score[i] > 0.0 && eigenvalue(score[i]) >= LEAST_SHARE * best && is_maximum(i))
        .collect();
    candidates.sort_by(|&a, &b| score[b].total_cmp(&score[a]).then(a.cmp(&b)));
    // Cells as wide as the distance: who is near lies in the same one or beside it.
    let cell_px = distance_px.max(1.0);
    let [across, down] = [nx, ny].map(|n| (n as f32 / cell_px) as usize + 1);
    let mut cells: Vec<Vec<[f32; 2]>> = vec![Vec::new(); across * down];
    let cell =
        |[x, y]: [f32; 2]| [((x / cell_px) as usize).min(across - 1), ((y / cell_px) as usize).min(down - 1)];
    for &point in there_px.iter().filter(|p| p[0].is_finite() && p[1].is_finite()) {
        let [cx, cy] = cell(point);
        cells[cy * across + cx].push(point);
    }
    let mut corners = Vec::new();
    for i in candidates {
        if corners.len() == count {
            break;
        }
        let point = [(i % nx) as f32, (i / nx) as f32];
        let [cx, cy] = cell(point);
        let beside = |c: usize, most: usize| c.saturating_sub(1)..(c + 2).min(most);
        let is_near = beside(cy, down).any(|cy| {
            beside(cx, across).any(|cx| {
                let others = &cells[cy * across + cx];
                others.iter().any(|o| (o[0] - point[0]).hypot(o[1] - point[1]) < distance_px)
            })
        });
        if !is_near {
            cells[cy * across + cx].push(point);
            corners.push(point);
        }
    }
    corners
}
