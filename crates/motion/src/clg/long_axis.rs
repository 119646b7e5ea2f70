//! Two stacks of short-axis slices in, how far the base of the heart has come down between them out: a start for methods that
//! follow what moves within slices well and what moves across them badly.
//!
//! *Why*: slices lie 5 to 10 mm apart, and the base of the heart descends by about as much while it empties (J. Carlsson et
//! al., "Atrioventricular plane displacement is the major contributor to left ventricular pumping", AJP Heart 292 (2007)).
//! Blood looks alike in every slice, so images do not say by how much.
//!
//! *Method*: where bright blood gives way to muscle a slice darkens. The sum of that over the middle half of the slices, a mean
//! blood area lost by a slice, times a rate is the descent of the slice at the base; it falls linearly to 0 at the apex, which
//! hardly moves. The base is the end at which images differ more. A stack that fills again gives the same with the other sign.
//!
//! *Limits*: bright blood alone (balanced steady-state cine); global changes of brightness above a tenth of the range count as
//! blood.

use crate::clg::coarse_pair::{CoarsePair, stack_axis};
use crate::error::Result;
use crate::steps::frame::Frame;
use crate::steps::intensity::IntensityMap;
use veloxel_core::Grid;
use veloxel_kernels::image::warp::VoxelAffine;

/// Fewer slices have no middle half.
const FEWEST_SLICES: usize = 4;
/// Smaller changes are noise, larger ones are blood against muscle; shares of the intensity range.
const CHANGE: std::ops::RangeInclusive<f64> = 0.1..=0.5;
/// Hearts do not descend farther, mm.
const FARTHEST_MM: f64 = 16.0;

/// How far the base has come down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Descent {
    /// Where each position of the fixed grid was, voxels.
    pub map: VoxelAffine,
    /// The distance at the slice nearest to the base, mm; negative where the base has risen.
    pub base_mm: f64,
    /// Mean area of blood that a slice has lost, mm².
    pub lost_mm2: f64,
}

impl Descent {
    /// One sentence for people.
    pub fn sentence(&self) -> String {
        format!(
            "the run begins with the base of the stack {:.1} mm nearer to the apex, for {:.0} mm² of blood that a slice loses \
             (long_axis)",
            self.base_mm, self.lost_mm2
        )
    }
}

/// The grid with slices `distance` times as far apart, if it is a stack.
pub(crate) fn as_stack(grid: &Grid, distance: f64) -> Grid {
    let Some(axis) = stack_axis(grid).filter(|_| distance != 1.0) else { return grid.clone() };
    let mut spacing = grid.spacing_mm();
    spacing[axis] *= distance;
    grid.clone().with_spacing_mm(spacing).expect("a spacing times a factor above 0 should be one")
}

/// How far the base has come down from the moving to the fixed image; none where the grid is no stack, or nothing changes.
///
/// `rate` is the descent at the base, mm, for a mm² of blood that a slice loses; `map` maps both images to 0..1.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
pub(crate) fn base_descent(
    [fixed, moving]: [&Frame; 2],
    map: IntensityMap,
    rate: f64,
) -> Result<Option<Descent>> {
    let grid = fixed.grid();
    let Some(axis) = stack_axis(grid).filter(|&axis| grid.size()[axis] >= FEWEST_SLICES) else {
        return Ok(None);
    };
    let pair = CoarsePair::of([fixed, moving])?;
    let changes = SliceChanges::of(&pair, map, axis);
    let pixel_mm2: f64 = (0..3).filter(|&a| a != axis).map(|a| pair.spacing_mm[a]).product();
    let lost_mm2 = changes.lost() * pixel_mm2;
    let base_mm = (rate * lost_mm2).clamp(-FARTHEST_MM, FARTHEST_MM);
    if base_mm == 0.0 {
        return Ok(None);
    }
    // The fixed image's base lies where the moving one's was, so much nearer to the base's end.
    let slope = base_mm / (grid.spacing_mm()[axis] * (grid.size()[axis] - 1) as f64);
    let mut map = VoxelAffine::IDENTITY;
    map.matrix[axis][axis] += slope;
    if changes.base_is_first() {
        map.offset[axis] = -slope * (grid.size()[axis] - 1) as f64;
    }
    Ok(Some(Descent { map, base_mm, lost_mm2 }))
}

/// What changes in each slice.
struct SliceChanges {
    /// Σ of what darkens less what brightens, in pixels times the intensity range.
    lost: Vec<f64>,
    /// Σ of the squared change.
    energy: Vec<f64>,
}

impl SliceChanges {
    fn of(pair: &CoarsePair, map: IntensityMap, axis: usize) -> Self {
        let gain = f64::from(map.gain_and_offset().0);
        let count = pair.size[axis];
        let stride: usize = pair.size[..axis].iter().product();
        let mut changes = Self { lost: vec![0.0; count], energy: vec![0.0; count] };
        for (i, darker) in pair.darker.iter().enumerate() {
            let darker = gain * darker;
            // NaN, which a mask let through, is no change.
            if darker.abs() >= *CHANGE.start() {
                let darker = darker.clamp(-CHANGE.end(), *CHANGE.end());
                let slice = i / stride % count;
                changes.lost[slice] += darker;
                changes.energy[slice] += darker * darker;
            }
        }
        changes
    }

    /// The mean over the middle half of the slices.
    fn lost(&self) -> f64 {
        let count = self.lost.len();
        let middle = &self.lost[count / 4..count - count / 4];
        middle.iter().sum::<f64>() / middle.len() as f64
    }

    /// Whether the first slices change more than the last ones.
    fn base_is_first(&self) -> bool {
        let centre = 0.5 * (self.energy.len() - 1) as f64;
        let moment: f64 = self.energy.iter().enumerate().map(|(z, e)| (z as f64 - centre) * e).sum();
        moment <= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Volume;
    use veloxel_gpu::Device;

    fn grid() -> Grid {
        Grid::volume(64, 64, 8).and_then(|g| g.with_spacing_mm([1.5, 1.5, 8.0])).expect("a grid of constants")
    }

    /// A bright cone of blood in dark muscle: wide in the first slice, narrow in the last.
    fn cone(scale: f64, flipped: bool) -> Volume<f32> {
        Volume::from_fn(grid(), |[x, y, z]| {
            let z = if flipped { 7 - z } else { z };
            let radius = scale * (18.0 - 2.0 * z as f64);
            let r = (x as f64 - 32.0).hypot(y as f64 - 30.0);
            (1.0 / (1.0 + (r - radius).exp())) as f32
        })
    }

    fn descent(fixed: &Volume<f32>, moving: &Volume<f32>) -> Option<Descent> {
        let device = Device::cpu(1).expect("a processor should be there");
        let [fixed, moving] = [fixed, moving].map(|v| Frame::upload(&device, v).expect("memory for a frame"));
        let map = IntensityMap { lower: 0.0, upper: 1.0 };
        base_descent([&fixed, &moving], map, 0.02).expect("the statistics should be found")
    }

    #[test]
    fn an_emptying_heart_comes_down_from_its_wide_end() {
        for flipped in [false, true] {
            let found = descent(&cone(0.7, flipped), &cone(1.0, flipped)).expect("the cone has changed");
            // A slice of the middle loses π (1 − 0.7²) r² pixels of 2.25 mm².
            let expected = (2..6).map(|z| (18.0 - 2.0 * f64::from(z)).powi(2)).sum::<f64>() / 4.0;
            let expected_mm2 = std::f64::consts::PI * 0.51 * expected * 2.25;
            // Changes above half of the range count as half, and what is smoothed is wider.
            let share = found.lost_mm2 / expected_mm2;
            assert!((0.7..1.1).contains(&share), "{share} of {expected_mm2} mm²");
            let [base, apex] = if flipped { [7.0, 0.0] } else { [0.0, 7.0] };
            let moved = |z: f64| 8.0 * (found.map.apply([3.0, 4.0, z])[2] - z);
            let towards_base = if flipped { 1.0 } else { -1.0 };
            assert!((moved(base) - towards_base * found.base_mm).abs() < 1e-9);
            assert!(moved(apex).abs() < 1e-9 && found.base_mm > 2.0);
            assert_eq!(found.map.apply([3.0, 4.0, apex])[..2], [3.0, 4.0]);
        }
    }

    #[test]
    fn filling_is_emptying_backwards_and_no_heart_comes_down_without_end() {
        let [small, large] = [cone(0.7, false), cone(1.0, false)];
        let [down, up] = [(&small, &large), (&large, &small)].map(|(f, m)| descent(f, m).expect("a change"));
        assert!((down.base_mm + up.base_mm).abs() < 1e-9);
        let far = descent(&cone(0.1, false), &cone(1.6, false)).expect("the cone has changed");
        assert_eq!(far.base_mm, FARTHEST_MM);
        assert_eq!(descent(&small, &small), None);
    }

    #[test]
    fn cubes_are_no_stack() {
        let cubes = Grid::volume(8, 8, 8).expect("a grid of constants");
        assert_eq!(as_stack(&cubes, 1.5), cubes);
        assert_eq!(as_stack(&grid(), 1.5).spacing_mm(), [1.5, 1.5, 12.0]);
        let volume = Volume::from_fn(cubes, |[x, y, z]| (x + y + z) as f32);
        assert_eq!(descent(&volume, &volume), None);
    }
}
