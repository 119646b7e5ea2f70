//! Linear starts of greedy's phantoms, whose true map is known.

use crate::scores::measured::Measured;
use crate::scores::ways::Way;
use crate::{BenchError, Session};
use veloxel::pipelines::{PairWanted, Wanted};
use veloxel_core::{Grid, LinearTransform, Warnings};
use veloxel_io::{Strictness, read_image, read_transform};

/// Every so many voxels is measured, along each axis.
const STEP: usize = 8;

/// The mean distance between where the found and the true map lead the image's voxels, mm; the time is that of the start and of the
/// field of `ultrafast` that follows it. An item is a phantom, or `moving → fixed` of two: phantom 2 is phantom 1 in other tones.
pub(crate) fn starts(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let file = |name: String| session.data(&format!("volumes/greedy/{name}"));
    let (moving, fixed) = item.split_once(" → ").unwrap_or((item, item));
    let images = [file(format!("{fixed}_fixed.nii.gz")), file(format!("{moving}_moving.nii.gz"))];
    let ([Some(fixed), Some(moving)], Some(truth)) = (images, file("phantom01_rigid.mat".to_owned())) else {
        return Ok(Vec::new());
    };
    let mut warnings = Warnings::new();
    // The file holds how the object moved, which is the way from the moving image's space to the fixed one's.
    let truth = read_transform(&truth, Strictness::Lenient, &mut warnings)?.inverse();
    let mut image = |path| read_image(path, Strictness::Lenient, &mut warnings);
    let (fixed, moving) = (image(&fixed)?, image(&moving)?);
    let wanted = PairWanted { transform: Wanted::Yes, ..PairWanted::default() };
    let of_way = |&name: &&'static str| {
        let (result, time_s) = Way::named(name).run(session, [&fixed, &moving], wanted)?;
        let found = result.transform.expect("a transform that is wanted should be there");
        Ok(Measured::new(name, mean_distance_mm(fixed.grid(), [&found, &truth]), time_s))
    };
    ways.iter().map(of_way).collect()
}

/// The mean distance of two maps over a grid.
fn mean_distance_mm(grid: &Grid, [a, b]: [&LinearTransform; 2]) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for voxel in (0..grid.len()).map(|index| grid.position(index)) {
        if voxel.iter().any(|at| at % STEP != 0) {
            continue;
        }
        let world = grid.world_from_voxel(voxel.map(|at| at as f64));
        let (there, other) = (a.apply(world), b.apply(world));
        sum += (0..3).map(|axis| (there[axis] - other[axis]).powi(2)).sum::<f64>().sqrt();
        count += 1;
    }
    sum / count.max(1) as f64
}
