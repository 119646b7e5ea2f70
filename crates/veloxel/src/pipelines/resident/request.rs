//! Two images in the memory of a device, and what is known of them.

use super::ResidentImage;
use crate::Result;
use crate::pipelines::dense::{MethodChoice, PairNames, PairStart, StartKind};
use veloxel_io::Strictness;
use veloxel_motion::GivenInput;

/// Two images in the memory of the session's device, and what is known of them.
#[derive(Debug)]
pub struct ResidentRequest<'a> {
    /// The image that the flow lives on.
    pub fixed: ResidentImage,
    /// The image that the flow points into, on a grid of its own.
    pub moving: ResidentImage,
    /// What they are called in warnings.
    pub names: PairNames<'a>,
    /// Where data count, 1, or not, 0, on the fixed grid; none: everywhere.
    pub mask: Option<ResidentImage>,
    /// Where the moving image has data, 1, or not, 0, on its own grid; none: everywhere.
    pub moving_mask: Option<ResidentImage>,
    /// Where volume is preserved, 1, or not, 0, on the fixed grid; none: wherever data count.
    pub volume_mask: Option<ResidentImage>,
    /// How much data count, from 0 to 1, on the fixed grid; of methods with weights in their energy.
    pub weight: Option<ResidentImage>,
    /// What is known before the first step.
    pub start: PairStart<'a>,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// How to estimate.
    pub method: &'a MethodChoice,
}

impl<'a> ResidentRequest<'a> {
    /// Two images of which nothing else is known.
    pub fn new(fixed: ResidentImage, moving: ResidentImage, method: &'a MethodChoice) -> Self {
        Self {
            fixed,
            moving,
            names: PairNames::default(),
            mask: None,
            moving_mask: None,
            volume_mask: None,
            weight: None,
            start: PairStart::None,
            strictness: Strictness::Lenient,
            method,
        }
    }

    /// Checks that the method uses what is given, and that it lies on the fixed grid.
    pub(super) fn check(&self) -> Result<()> {
        let on_fixed = [
            (GivenInput::Mask, &self.mask, "the fixed image and the mask"),
            (GivenInput::VolumeMask, &self.volume_mask, "the fixed image and the volume mask"),
            (GivenInput::Weight, &self.weight, "the fixed image and the weight image"),
        ];
        let given = on_fixed.each_ref().map(|(input, image, _)| (*input, image.is_some()));
        let start = [(GivenInput::Start, self.start.kind() != StartKind::None)];
        self.method.require_used(&[&given[..], &start[..]].concat())?;
        for (_, image, what) in on_fixed {
            image.iter().try_for_each(|image| self.fixed.grid.require_same(&image.grid, what))?;
        }
        Ok(())
    }
}
