//! Labels in memory, which may lie on a grid of their own, pulled back onto a field's grid.

use super::WarpResult;
use crate::pipelines::account::Account;
use crate::pipelines::prepare::grids::{MovingSampling, allow_two_grids, warp_image};
use crate::{Result, Session, VeloxelError};
use veloxel_core::{Flow, Grid, Mask, Stage, Stopped, Threads, Volume};
use veloxel_io::Strictness;
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::Border;

/// Which label stands between voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelChoice {
    /// That of the nearest voxel.
    Nearest,
    /// The one with the most weight among the voxels around, by bi- or trilinear weights: borders become smooth. Of two with the
    /// same weight the nearest voxel's; and always that one where it lies in a part of its label that is one voxel thin (slices
    /// that are far apart are thick by themselves), which would be lost.
    #[default]
    MostWeight,
}

/// A field, labels that it points into, and how they are looked up.
#[derive(Debug, Clone, Copy)]
pub struct WarpLabelsRequest<'a> {
    /// The field.
    pub flow: &'a Flow,
    /// The labels, on a grid of their own.
    pub labels: &'a Volume<i32>,
    /// Which label stands between voxels.
    pub choice: LabelChoice,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
}

/// Pulls labels back onto the field's grid; 0 where the field leaves them or is unknown.
///
/// # Errors
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for pictures of two sizes, a picture against a volume, or
/// any difference of grids if that is refused; [`VeloxelError::Compute`];
/// [`VeloxelError::ManyLabels`]; [`VeloxelError::Stopped`].
pub fn warp_labels(request: &WarpLabelsRequest<'_>, session: &Session) -> Result<WarpResult<i32>> {
    let WarpLabelsRequest { flow, labels, choice, strictness } = *request;
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    allow_two_grids(flow.grid(), labels.grid(), strictness, &mut account.warnings)?;
    let seen = |samples: &Volume<f32>, interpolation| {
        warp_image(device, flow, samples, MovingSampling::new(interpolation, Border::Voxels))
    };
    let warped = account.stages.time("warp", || carried(labels, choice, session.threads(), seen))?;
    Ok(WarpResult { warped, account })
}

/// Labels pulled back onto a field's grid, by what samples on their grid are there.
pub(super) fn carried(
    labels: &Volume<i32>,
    choice: LabelChoice,
    threads: Threads<'_>,
    seen: impl Fn(&Volume<f32>, Interpolation) -> Result<Volume<f32>>,
) -> Result<Volume<i32>> {
    let threads = threads.for_samples(labels.grid().len());
    let names = names(labels, threads)?;
    let samples = mapped(labels, threads, |_, &label| match &names {
        Some(names) => names.partition_point(|&name| name < label) as f32,
        None => label as f32,
    })?;
    let moved = match choice {
        LabelChoice::Nearest => seen(&samples, Interpolation::Nearest)?,
        LabelChoice::MostWeight => {
            let moved = seen(&samples, Interpolation::MostWeight)?;
            match thin_samples(&samples, &thick_parts(labels, threads)?, threads)? {
                Some(thin) => {
                    let thin = seen(&thin, Interpolation::Nearest)?;
                    let thin = thin.data();
                    mapped(&moved, threads, |i, &v| if thin[i].is_finite() { thin[i] } else { v })?
                }
                None => moved,
            }
        }
    };
    Ok(mapped(&moved, threads, |_, &v| match &names {
        _ if !v.is_finite() => 0,
        Some(names) => names.get(v as usize).copied().unwrap_or(0),
        None => v as i32,
    })?)
}

/// What a function makes of the samples of a volume, by index and value.
fn mapped<T: Sync, U: Copy + Default + Send>(
    volume: &Volume<T>,
    threads: Threads<'_>,
    of: impl Fn(usize, &T) -> U + Sync,
) -> Result<Volume<U>, Stopped> {
    let (grid, samples) = (volume.grid(), volume.data());
    let mut found = [vec![U::default(); grid.len()]];
    threads.fill(&mut found, grid.size()[0], |begin, own| {
        for own in own {
            let samples = samples[begin..].iter().zip(begin..);
            own.iter_mut().zip(samples).for_each(|(found, (sample, i))| *found = of(i, sample));
        }
        Ok(())
    })?;
    let [found] = found;
    Ok(Volume::new(grid.clone(), found).expect("a grid should have its number of samples"))
}

/// The labels that there are, ascending, if samples cannot hold them as they are: their places among them then stand for them.
///
/// # Errors
/// [`VeloxelError::ManyLabels`].
fn names(labels: &Volume<i32>, threads: Threads<'_>) -> Result<Option<Vec<i32>>> {
    let is_held = |label: &i32| label.unsigned_abs() <= MOST_HELD;
    let are_held =
        threads.in_parts(labels.data().len(), |part| Ok(labels.data()[part].iter().all(is_held)))?;
    if are_held.into_iter().all(|are_held| are_held) {
        return Ok(None);
    }
    let mut names = labels.data().to_vec();
    names.sort_unstable();
    names.dedup();
    let count = names.len();
    if count > MOST_HELD as usize { Err(VeloxelError::ManyLabels { count }) } else { Ok(Some(names)) }
}

/// Whole numbers up to this one are exact in 32-bit floats.
const MOST_HELD: u32 = 1 << 24;

/// The labels of thin parts, NaN elsewhere; none if nothing is thin.
fn thin_samples(
    samples: &Volume<f32>,
    thick: &Mask,
    threads: Threads<'_>,
) -> Result<Option<Volume<f32>>, Stopped> {
    let thick = thick.data();
    let is_all = threads.in_parts(thick.len(), |part| Ok(thick[part].iter().all(|thick| *thick)))?;
    if is_all.into_iter().all(|is_all| is_all) {
        return Ok(None);
    }
    mapped(samples, threads, |i, &sample| if thick[i] { f32::NAN } else { sample }).map(Some)
}

/// Where a voxel belongs to a block of 2 × 2 (× 2) voxels of its label: the morphological opening of every label, 0 among them, by
/// such a block. Axes with one voxel do not count, and neither does one along which voxels are twice as long as the shortest
/// edge: a slice of a stack is thick by itself.
fn thick_parts(labels: &Volume<i32>, threads: Threads<'_>) -> Result<Mask, Stopped> {
    let grid = labels.grid();
    let spacing = grid.spacing_mm();
    let shortest = spacing[..grid.dimension().count()].iter().copied().fold(f64::INFINITY, f64::min);
    // Sides of the block are two voxels or one.
    let [nx, ny, nz] = grid.size();
    let side: [usize; 3] =
        [0, 1, 2].map(|a| if grid.size()[a] > 1 && spacing[a] < 2.0 * shortest { 2 } else { 1 });
    let corners: Vec<[usize; 3]> = (0..side.iter().product())
        .map(|c: usize| [c % side[0], c / side[0] % side[1], c / (side[0] * side[1])])
        .collect();
    let labels = labels.data();
    // Whether the block that begins at a voxel is of one label: row by row, corner by corner.
    let blocks = by_rows(grid, threads, |[y, z], own| {
        if y + side[1] > ny || z + side[2] > nz {
            return;
        }
        let (first, own) = ((z * ny + y) * nx, &mut own[..=nx - side[0]]);
        own.fill(true);
        for [dx, dy, dz] in &corners[1..] {
            let begin = first + (dz * ny + dy) * nx + dx;
            let pairs = labels[first..].iter().zip(&labels[begin..]);
            own.iter_mut().zip(pairs).for_each(|(is_one, (a, b))| *is_one &= a == b);
        }
    })?;
    let thick = by_rows(grid, threads, |[y, z], own| {
        for &[dx, dy, dz] in corners.iter().filter(|[_, dy, dz]| *dy <= y && *dz <= z) {
            let begin = ((z - dz) * ny + y - dy) * nx;
            let blocks = &blocks[begin..begin + nx - dx];
            own[dx..].iter_mut().zip(blocks).for_each(|(thick, is_one)| *thick |= is_one);
        }
    })?;
    Ok(Volume::new(grid.clone(), thick).expect("a grid should have its number of samples"))
}

/// Truths for each voxel of a grid, row by row: `row` gets the row's place `(y, z)`, and false for each of its voxels.
fn by_rows(
    grid: &Grid,
    threads: Threads<'_>,
    row: impl Fn([usize; 2], &mut [bool]) + Sync,
) -> Result<Vec<bool>, Stopped> {
    let [nx, ny, _] = grid.size();
    let mut found = [vec![false; grid.len()]];
    threads.fill(&mut found, nx, |begin, own| {
        for (nth, own) in (begin / nx..).zip(own.iter_mut().flat_map(|own| own.chunks_mut(nx))) {
            threads.control().check()?;
            row([nth % ny, nth / ny], own);
        }
        Ok(())
    })?;
    let [found] = found;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Control, GridBox};
    use veloxel_gpu::{Cpu, Device};

    /// Labels by position in the plane z = 3 of a grid of 16 × 12 × 8, moved by the same vector everywhere; and the same by the
    /// nearest voxel.
    fn moved(shift: [f32; 3], label: impl Fn([usize; 3]) -> i32) -> [Volume<i32>; 2] {
        let device = Device::cpu(1).unwrap();
        let grid = Grid::volume(16, 12, 8).unwrap();
        let labels = Volume::from_fn(grid.clone(), label);
        let flow = Flow::new(grid.clone(), shift.map(|v| vec![v; grid.len()]).to_vec()).unwrap();
        let seen = |samples: &Volume<f32>, interpolation| {
            warp_image(&device, &flow, samples, MovingSampling::new(interpolation, Border::Voxels))
        };
        [LabelChoice::MostWeight, LabelChoice::Nearest]
            .map(|choice| carried(&labels, choice, device.control().into(), seen).unwrap())
    }

    const SHIFTS: [[f32; 3]; 4] =
        [[0.5, 0.5, 0.5], [0.4, 0.45, -0.3], [-0.5, 0.25, 0.5], [0.49, -0.49, 0.49]];

    #[test]
    fn one_voxel_structures_are_not_lost() {
        // A dot, a line along an axis, an oblique line, a gap between two labels, and a plane.
        let dot = |[x, y, z]: [usize; 3]| if [x, y, z] == [7, 5, 3] { 4 } else { 0 };
        let line = |[_, y, z]: [usize; 3]| if y == 5 && z == 3 { 4 } else { 0 };
        let oblique = |[x, y, z]: [usize; 3]| if y == x / 2 + 2 && z == 3 { 4 } else { 0 };
        let gap = |[_, y, _]: [usize; 3]| match y {
            5 => 0,
            0..5 => 1,
            _ => 2,
        };
        let plane = |[_, _, z]: [usize; 3]| if z == 3 { 4 } else { 1 };
        for label in [&dot as &dyn Fn([usize; 3]) -> i32, &line, &oblique, &gap, &plane] {
            for shift in SHIFTS {
                let [ours, nearest] = moved(shift, label);
                let count =
                    |labels: &Volume<i32>, which| labels.data().iter().filter(|l| **l == which).count();
                for which in [0, 4] {
                    assert!(count(&ours, which) >= count(&nearest, which), "{which} at {shift:?}");
                }
            }
        }
    }

    #[test]
    fn blocks_are_those_that_are_written_one_by_one() {
        for (size, spacing) in [([40, 37, 30], [1.0; 3]), ([64, 33, 20], [1.0, 1.0, 3.0])] {
            let grid =
                Grid::volume(size[0], size[1], size[2]).and_then(|g| g.with_spacing_mm(spacing)).unwrap();
            let label = |[x, y, z]: [usize; 3]| ((x * x + 3 * y + x * y / 5 + 7 * z) / 9 % 3) as i32;
            let labels = Volume::from_fn(grid.clone(), label);
            let side = [2, 2, if spacing[2] > 1.0 { 1 } else { 2 }];
            let mut expected = vec![false; grid.len()];
            for first in (0..grid.len()).map(|i| grid.position(i)) {
                let block = GridBox { begin: first, size: side };
                if (0..3).all(|a| block.end()[a] <= size[a]) {
                    let all = (0..block.len()).map(|nth| {
                        let at = [nth % 2, nth / 2 % 2, nth / 4];
                        grid.index([0, 1, 2].map(|a| first[a] + at[a]))
                    });
                    let all: Vec<usize> = all.collect();
                    if all.iter().all(|i| labels.data()[*i] == labels.data()[all[0]]) {
                        all.into_iter().for_each(|i| expected[i] = true);
                    }
                }
            }
            for threads in [1, 2, 3, 5] {
                let (cpu, control) = (Cpu::new(threads).unwrap(), Control::default());
                let found = thick_parts(&labels, Threads::of(Some(&cpu), &control)).unwrap();
                assert!(found.data() == expected && expected.contains(&false), "{threads}");
            }
        }
    }

    #[test]
    fn slices_are_thick_by_themselves() {
        // A square in one slice, and a line.
        let in_one = |[x, y, z]: [usize; 3]| i32::from(z == 1 && (x < 2 && y < 2 || y == 3));
        for (spacing, expected) in [([1.0, 1.0, 1.5], 0), ([1.5, 1.5, 8.0], 4)] {
            let grid = Grid::volume(6, 5, 3).and_then(|g| g.with_spacing_mm(spacing)).unwrap();
            let labels = Volume::from_fn(grid, in_one);
            let thick = thick_parts(&labels, (&Control::default()).into()).unwrap();
            let both = labels.data().iter().zip(thick.data());
            assert_eq!(both.filter(|(label, thick)| **label == 1 && **thick).count(), expected);
        }
        let one_column = Volume::from_fn(Grid::volume(1, 4, 3).unwrap(), |_| 2);
        assert_eq!(thick_parts(&one_column, (&Control::default()).into()).unwrap().count(), 12);
    }

    #[test]
    fn no_label_is_invented_and_the_outside_is_0() {
        let [ours, nearest] = moved([0.6, -0.4, 0.3], |[x, y, z]| [1, 5, 900][(x / 4 + y / 3 + z / 2) % 3]);
        let mut differ = 0;
        for (ours, nearest) in ours.data().iter().zip(nearest.data()) {
            assert!([1, 5, 900].contains(ours) == (*nearest != 0) && (*ours == 0) == (*nearest == 0));
            differ += usize::from(ours != nearest);
        }
        assert!(differ > 0, "borders are not those of the nearest voxel");
    }

    #[test]
    fn labels_beyond_those_of_floats_are_kept() {
        let all = [0, (1 << 24) + 1, (1 << 24) + 2, i32::MAX, -5];
        let found = moved([0.0; 3], |[x, y, z]| all[(x + y + z) % 5]);
        for found in found {
            let at = |x: usize, y: usize, z: usize| found.data()[(z * 12 + y) * 16 + x];
            assert!((0..16).all(|x| at(x, 3, 4) == all[(x + 7) % 5]));
        }
    }

    #[test]
    fn borders_are_nearer_to_the_truth() {
        let ball = |at: [f64; 3]| {
            let r2 = (at[0] - 7.3).powi(2) + (at[1] - 5.6).powi(2) + (at[2] - 3.4).powi(2);
            i32::from(r2 < 2.9 * 2.9)
        };
        let mut wrong = [0, 0];
        for shift in SHIFTS {
            let both = moved(shift, |at| ball(at.map(|v| v as f64)));
            for (wrong, moved) in wrong.iter_mut().zip(&both) {
                let grid = moved.grid();
                let truth = |i: usize| {
                    let at = grid.position(i);
                    ball([0, 1, 2].map(|a| at[a] as f64 + f64::from(shift[a])))
                };
                *wrong += (0..grid.len()).filter(|&i| moved.data()[i] != truth(i)).count();
            }
        }
        assert!(wrong[0] * 10 < wrong[1] * 9, "{} voxels are wrong, {} by the nearest", wrong[0], wrong[1]);
    }
}
