//! What happens to samples between a file and a method: the range of intensities, values that stand for no data, masks, and
//! images on grids of their own.

pub(crate) mod blanks;
pub(crate) mod depths;
pub(crate) mod full_scale;
pub(crate) mod grids;
pub(crate) mod holes;
pub(crate) mod intensities;
pub(crate) mod labels;
pub(crate) mod light;
pub(crate) mod looked_at;
pub(crate) mod padding;
pub(crate) mod passes;
pub(crate) mod places;
pub(crate) mod sentinels;
pub(crate) mod tones;
