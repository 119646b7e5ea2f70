//! How good a result is: fields and disparities against a truth, labels against labels, outlines against outlines, confidences against errors.

mod contour_distance;
mod disparity_error;
mod distance_transform;
mod distribution;
mod flow_error;
mod folding;
mod label_overlap;
mod segmentation_error;
mod sparsification;
mod strain;
mod ventricle;
mod wall_mesh;

pub use contour_distance::{ContourDistance, ContourDistances, ContourSummary};
pub use disparity_error::{BadShares, DisparityError, disparity_error};
pub use distance_transform::squared_distance_mm2;
pub use distribution::Distribution;
pub use flow_error::{FlowError, end_point_error_vox, flow_error};
pub use folding::share_folded;
pub use label_overlap::{LabelOverlap, LabelOverlapReport, label_overlap, labels_from_samples};
pub use segmentation_error::{SegmentationError, segmentation_error};
pub use sparsification::{Sparsification, SparsificationPoint, sparsification};
pub use strain::{
    DEFINITIONS, Periodicity, RegionStrain, StrainAt, WallMotion, eulerian, rate_per_s, strains,
};
pub use ventricle::{AreaCurve, Chamber, Ventricles};
pub use wall_mesh::{LAYERS, Level, SPOKES, SegmentFrame, WallMesh};

pub(crate) use distribution::finite_quantiles;
pub(crate) use flow_error::{is_physical, measured_indices};
