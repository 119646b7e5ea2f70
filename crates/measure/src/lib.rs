//! How good a result is: fields and disparities against a truth, labels against labels, outlines against outlines, confidences
//! against errors; what a field does to volumes and lengths; and what follows from a heart's outlines: strain, areas and volumes.
//!
//! Nothing here knows files, pictures or pages. Lengths are voxels (pixels in 2-D) or millimetres, as their names say.
//!
//! # What is stable
//!
//! The library `veloxel` gives this crate on as its module `measure`, which may change in any version. Names and meanings of what its
//! types become in JSON reports are stable.

mod contour_distance;
mod deformation;
mod disparity_error;
mod distance_curve;
mod distribution;
mod error;
mod flow_error;
mod folding;
mod label_overlap;
mod map_summary;
mod outliers;
mod segmentation_error;
mod sparsification;
mod strain;
mod strain_summary;
mod uncertainty;
mod ventricle;
mod wall_mesh;
mod words;

pub use contour_distance::{ContourDistance, ContourDistances, ContourSummary};
pub use deformation::{Deformation, NamedMap};
pub use disparity_error::{BadShares, DisparityError, disparity_error};
pub use distance_curve::{CycleSample, DistanceCurve, on_generic_frames};
pub use distribution::{Distribution, finite_quantiles};
pub use error::MeasureError;
pub use flow_error::{
    ComparedFlows, FlowError, FlowErrorSpread, FlowErrorSums, end_point_error_vox, flow_error, is_physical,
    measured_indices,
};
pub use folding::{
    CellCounts, FoldingCertificate, FoldingSums, folding_certificate, share_folded, volume_change,
};
pub use label_overlap::{
    LabelBox, LabelOverlap, LabelOverlapReport, LabelOverlapSums, LabelSurfaces, SurfaceLists, SurfaceTurn,
    label_overlap, labels_from_samples,
};
pub use map_summary::MapSummary;
pub use outliers::{Outlier, UsualSpread, outliers};
pub use segmentation_error::{SegmentationError, segmentation_error};
pub use sparsification::{Sparsification, SparsificationPoint, sparsification};
pub use strain::{CurveEnds, DEFINITIONS, RegionStrain, StrainAt, WallMotion, eulerian, rate_per_s, strains};
pub use strain_summary::{KindSummary, StrainSummary};
pub use uncertainty::coverage::{EllipseCoverage, ellipse_coverage};
pub use uncertainty::reliability::{Foretold, Reliability, ReliabilityPoint, reliability};
pub use ventricle::{AreaCurve, Chamber, Ventricles};
pub use wall_mesh::{LAYERS, SPOKES, SegmentFrame, SliceLevel, WallMesh};
