//! A few clicked points of each outline in, smooth closed outlines out.

use super::guide_points_error::GuidePointsError;
use crate::{Result, Session};
use veloxel_core::{Contour, ContourSet, Stage};

pub use veloxel_motion::GuidePointFit;

/// Clicks that outlines are laid through.
#[derive(Debug, Clone, Copy)]
pub struct GuidePointsRequest<'a> {
    /// The clicks: polygons through the points of each outline in order, pixels.
    pub clicks: &'a ContourSet,
    /// Distances of pixels along x and y.
    pub spacing_mm: [f64; 2],
    /// How outlines are laid through them.
    pub fit: GuidePointFit,
}

/// Lays an outline through the clicks of each structure, frame and slice.
///
/// ```
/// use veloxel::pipelines::{GuidePointFit, GuidePointsRequest, guide_points};
/// use veloxel::pipelines::heart::{Contour, ContourSet, Polygon, Structure};
/// use veloxel::{Device, Session};
///
/// let polygon = Polygon::new(vec![[30.0, 20.0], [20.0, 30.0], [10.0, 20.0], [20.0, 10.0]])?;
/// let clicks = vec![Contour { structure: Structure::Endo, frame: 0, slice: 0, polygon }];
/// let clicks = ContourSet::new(clicks).expect("one outline in one place");
/// let request = GuidePointsRequest { clicks: &clicks, spacing_mm: [1.0; 2], fit: GuidePointFit::default() };
/// let found = guide_points(&request, &Session::on(Device::cpu(1)?))?;
/// let area = found.contours()[0].polygon.signed_area_px2();
/// assert!((area / (100.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// [`VeloxelError::Motion`](crate::VeloxelError::Motion) for settings out of their ranges;
/// [`VeloxelError::GuidePoints`](crate::VeloxelError::GuidePoints) for clicks that leave an outline open, and for an outline that
/// crosses itself; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn guide_points(request: &GuidePointsRequest<'_>, session: &Session) -> Result<ContourSet> {
    request.fit.validate()?;
    session.enter(Stage::Solve)?;
    let laid = |clicks: &Contour| -> Result<Contour> {
        session.control().check()?;
        let Contour { structure, frame, slice, .. } = *clicks;
        let polygon = (request.fit.outline(&clicks.polygon, request.spacing_mm))
            .map_err(|source| GuidePointsError { structure, frame, slice, source })?;
        Ok(Contour { structure, frame, slice, polygon })
    };
    let outlines = request.clicks.contours().iter().map(laid).collect::<Result<_>>()?;
    Ok(ContourSet::new(outlines).unwrap_or_default())
}
