//! What is known of a pair's motion before the first step.

use super::{DenseError, Wanted};
use veloxel_core::matrix3::{apply, product};
use veloxel_core::{CoreError, Dimension, Flow, Grid, LinearTransform};
use veloxel_motion::{AffineModel, Start, VoxelAffine};

/// What is known before the first warp.
#[derive(Debug, Clone, Copy, Default)]
pub enum PairStart<'a> {
    /// Nothing.
    #[default]
    None,
    /// The shift between the centres of mass, which is found first.
    CentreOfMass,
    /// A turn and a shift, which are found first.
    Rigid,
    /// A turn, a common scale and a shift, which are found first.
    Similarity,
    /// An affine map, which is found first.
    Affine,
    /// A linear transform from the fixed image's space to the moving one's, LPS mm.
    Transform(LinearTransform),
    /// Matches over the whole range of motion, which are found first, both ways.
    Matches,
    /// A flow on the fixed grid.
    Flow(&'a Flow),
}

/// What a pair starts from, without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartKind {
    /// Nothing.
    #[default]
    None,
    /// A linear map: the shift between the centres of mass or a rigid, similarity or affine one that is found first, or one that is
    /// given.
    Registration,
    /// Matches over the whole range of motion.
    Matches,
    /// A flow that is given.
    Flow,
}

impl StartKind {
    /// Refuses a transform that is wanted of a run of a method that begins from something else.
    ///
    /// # Errors
    /// [`DenseError::NoLinearStart`].
    pub(crate) fn require_linear(self, wanted: Wanted, method: &'static str) -> Result<(), DenseError> {
        let start = match self {
            Self::None => "no motion",
            Self::Matches => "matches",
            Self::Flow => "a field",
            Self::Registration => return Ok(()),
        };
        if wanted.is_yes() { Err(DenseError::NoLinearStart { method, start }) } else { Ok(()) }
    }
}

impl<'a> PairStart<'a> {
    /// Without its data.
    pub fn kind(&self) -> StartKind {
        match self {
            Self::None => StartKind::None,
            Self::CentreOfMass | Self::Rigid | Self::Similarity | Self::Affine | Self::Transform(_) => {
                StartKind::Registration
            }
            Self::Matches => StartKind::Matches,
            Self::Flow(_) => StartKind::Flow,
        }
    }

    /// As methods take it: those that begin from matches find them on their own.
    ///
    /// # Errors
    /// [`CoreError::Transform`] for a transform of a picture with a volume, or the other way round.
    pub(crate) fn of_method(&self, fixed: &Grid) -> Result<Start<'a>, CoreError> {
        Ok(match self {
            Self::None | Self::Matches => Start::Zero,
            Self::CentreOfMass => Start::Registration(AffineModel::CentreOfMass),
            Self::Affine => Start::Registration(AffineModel::Affine),
            Self::Rigid => Start::Registration(AffineModel::Rigid),
            Self::Similarity => Start::Registration(AffineModel::Similarity),
            Self::Transform(transform) => Start::Affine(on_voxels(transform, fixed)?),
            Self::Flow(flow) => Start::Flow(flow),
        })
    }
}

impl PairStart<'_> {
    /// The linear map that a run began from, from points of the fixed image's space to those of the moving one's, LPS mm: the one that
    /// was given, or `found` on the fixed grid; none where the start is another one.
    ///
    /// # Errors
    /// [`CoreError::Transform`] as [`require_plane`] and [`require_one_world`], and for a map that is singular.
    pub(crate) fn transform(
        &self,
        found: Option<VoxelAffine>,
        [fixed, moving]: [&Grid; 2],
    ) -> Result<Option<LinearTransform>, CoreError> {
        if let Self::Transform(given) = self {
            return Ok(Some(*given));
        }
        let Some(found) = found else { return Ok(None) };
        require_plane(fixed)?;
        require_one_world([fixed, moving])?;
        of_voxels(&found, fixed).map(Some)
    }
}

/// Refuses a picture whose plane lies across the world's x and y axes: a 2-D transform moves points in the plane of these alone.
fn require_plane(grid: &Grid) -> Result<(), CoreError> {
    let [.., across] = grid.direction();
    if grid.dimension() == Dimension::Three || across[..2].iter().all(|part| part.abs() < 1e-6) {
        return Ok(());
    }
    let reason = "would be 2-D, and the picture's plane does not lie along the world's x and y axes: a volume of one slice \
                  or more has a 3-D one";
    Err(CoreError::Transform { reason: reason.to_owned() })
}

/// Refuses two pictures of which one alone has a place: they are compared pixel by pixel, and no world holds both.
fn require_one_world([fixed, moving]: [&Grid; 2]) -> Result<(), CoreError> {
    if fixed.dimension() == Dimension::Three || fixed.is_unplaced() == moving.is_unplaced() {
        return Ok(());
    }
    let reason =
        "would lead from millimetres to pixels: one picture has a place in the world, the other has none";
    Err(CoreError::Transform { reason: reason.to_owned() })
}

/// A map of a grid's voxel positions onto themselves as a linear transform of the world.
fn of_voxels(map: &VoxelAffine, grid: &Grid) -> Result<LinearTransform, CoreError> {
    let (outward, inward) = (grid.world_from_voxel_matrix(), grid.voxel_from_world_matrix());
    let matrix = product(&outward, &product(&map.matrix, &inward));
    // The voxel of the grid's own origin is 0, wherever the world's is.
    let (origin, moved) = (grid.origin_mm(), apply(&outward, map.offset));
    let turned = apply(&matrix, origin);
    let offset_mm = [0, 1, 2].map(|a| origin[a] + moved[a] - turned[a]);
    LinearTransform::new(grid.dimension(), matrix, offset_mm)
}

/// A linear transform of the world as a map of a grid's voxel positions onto themselves.
fn on_voxels(transform: &LinearTransform, grid: &Grid) -> Result<VoxelAffine, CoreError> {
    if transform.dimension() != grid.dimension() {
        let (own, images) = (transform.dimension().count(), grid.dimension().count());
        let reason = format!("to begin from is {own}-D, and the images are {images}-D");
        return Err(CoreError::Transform { reason });
    }
    require_plane(grid)?;
    let there = |voxel: [f64; 3]| grid.voxel_from_world(transform.apply(grid.world_from_voxel(voxel)));
    let offset = there([0.0; 3]);
    let columns = [0, 1, 2].map(|axis| there([0, 1, 2].map(|a| f64::from(u8::from(a == axis)))));
    let matrix = [0, 1, 2].map(|r| [0, 1, 2].map(|c| columns[c][r] - offset[r]));
    if grid.dimension() == Dimension::Two {
        // A plane goes to its own plane.
        let [[a, b, _], [c, d, _], _] = matrix;
        let matrix = [[a, b, 0.0], [c, d, 0.0], [0.0, 0.0, 1.0]];
        return Ok(VoxelAffine { matrix, offset: [offset[0], offset[1], 0.0] });
    }
    Ok(VoxelAffine { matrix, offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(dimension: Dimension) -> VoxelAffine {
        let matrix = match dimension {
            Dimension::Two => [[1.1, 0.2, 0.0], [-0.1, 0.9, 0.0], [0.0, 0.0, 1.0]],
            Dimension::Three => [[1.1, 0.2, -0.1], [-0.15, 0.9, 0.05], [0.02, -0.3, 1.2]],
        };
        let offset = [3.5, -2.0, if dimension == Dimension::Two { 0.0 } else { 0.75 }];
        VoxelAffine { matrix, offset }
    }

    /// Grids whose axes are turned, and unlike in length: a volume's, and a picture's within its plane.
    fn oblique() -> [Grid; 2] {
        let (s, c) = 0.4f64.sin_cos();
        let volume = Grid::volume(20, 30, 25).and_then(|g| g.with_spacing_mm([0.8, 1.2, 2.5])).unwrap();
        let direction = [[-c, s, 0.0], [0.0, 0.0, 1.0], [s, c, 0.0]];
        let volume = volume.with_origin_mm([-90.0, 126.0, -72.0]).with_direction(direction).unwrap();
        let picture = Grid::image(40, 30).and_then(|g| g.with_spacing_mm([0.5, 0.7, 1.0])).unwrap();
        let direction = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        [volume, picture.with_origin_mm([12.0, -7.0, 33.0]).with_direction(direction).unwrap()]
    }

    #[test]
    fn a_found_start_given_again_is_the_same_map() {
        for grid in oblique() {
            let map = turned(grid.dimension());
            let transform = PairStart::Affine.transform(Some(map), [&grid; 2]).unwrap().unwrap();
            let again = on_voxels(&transform, &grid).unwrap();
            for corner in [[0.0; 3], [39.0, 0.0, 0.0], [0.0, 29.0, 0.0], [19.0, 29.0, 0.0]] {
                let (there, back) = (map.apply(corner), again.apply(corner));
                assert!((0..3).all(|a| (there[a] - back[a]).abs() < 1e-10), "{there:?} {back:?}");
                // The world's point of a voxel goes to the world's point of where the voxel goes.
                let world = transform.apply(grid.world_from_voxel(corner));
                let expected = grid.world_from_voxel(there);
                assert!((0..3).all(|a| (world[a] - expected[a]).abs() < 1e-9), "{world:?} {expected:?}");
            }
        }
    }

    #[test]
    fn a_given_transform_stays_as_it_is() {
        let given = LinearTransform::new(Dimension::Three, turned(Dimension::Three).matrix, [1.0 / 3.0; 3]);
        let given = given.unwrap();
        let [volume, _] = oblique();
        let found = on_voxels(&given, &volume).unwrap();
        let again = PairStart::Transform(given).transform(Some(found), [&volume; 2]);
        assert_eq!(again, Ok(Some(given)));
        assert_eq!(PairStart::Matches.transform(None, [&volume; 2]), Ok(None));
    }

    #[test]
    fn pictures_that_no_plane_transform_describes_are_refused() {
        let [_, placed] = oblique();
        let sagittal = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let sagittal = placed.clone().with_direction(sagittal).unwrap();
        let (map, plain) = (turned(Dimension::Two), Grid::image(40, 30).unwrap());
        let refused =
            |grids: [&Grid; 2]| PairStart::Rigid.transform(Some(map), grids).unwrap_err().to_string();
        assert!(refused([&sagittal; 2]).contains("x and y axes"));
        assert!(refused([&placed, &plain]).contains("millimetres to pixels"));
        let given = LinearTransform::identity(Dimension::Two);
        assert!(on_voxels(&given, &sagittal).unwrap_err().to_string().contains("x and y axes"));
        assert!(PairStart::Rigid.transform(Some(map), [&plain; 2]).unwrap().is_some());
    }

    #[test]
    fn runs_that_begin_from_something_else_have_no_transform() {
        for kind in [StartKind::None, StartKind::Matches, StartKind::Flow] {
            let refused = kind.require_linear(Wanted::Yes, "clg").unwrap_err().to_string();
            assert!(refused.contains("clg begins from"), "{refused}");
            assert_eq!(kind.require_linear(Wanted::No, "clg"), Ok(()));
        }
        assert_eq!(StartKind::Registration.require_linear(Wanted::Yes, "clg"), Ok(()));
    }
}
