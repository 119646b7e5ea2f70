//! What a method uses of what a run is given beside its images; what it does not use is refused.

use veloxel_core::Hint;
use veloxel_core::parameters::ParameterValues;

/// Something that a run can be given beside its images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GivenInput {
    /// A mask of where data count.
    Mask,
    /// A mask of where volume is preserved.
    VolumeMask,
    /// How much each voxel's data count, from 0 to 1.
    Weight,
    /// What is known before the first step.
    Start,
    /// The wish for the flow back as well, by which the confidence is checked.
    SecondDirection,
}

/// Whether a method uses what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputUse {
    /// Never: it is refused.
    Never,
    /// Whenever it is given.
    Always,
    /// While this parameter, a number, is above 0.
    Above0(&'static str),
}

/// The dimensions of the images that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DimensionSupport {
    /// Pictures.
    Pictures,
    /// Pictures and volumes.
    PicturesAndVolumes,
}

/// Whether a method, with the parameters of its default preset, can estimate large images in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileSupport {
    /// Not at all.
    Never,
    /// Tiles overlap, and the flow differs a little from that of a run without tiles.
    Overlapping,
    /// The flow has the bits of a run without tiles.
    SameBits,
}

/// What a method uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodUses {
    /// The mask of where data count.
    pub mask: InputUse,
    /// The mask of where volume is preserved.
    pub volume_mask: InputUse,
    /// The weight image.
    pub weight: InputUse,
    /// The start.
    pub start: InputUse,
    /// The flow back.
    pub second_direction: InputUse,
    /// Whether it finds the field back together with the field.
    pub finds_inverse: bool,
    /// Tiles.
    pub tiles: TileSupport,
    /// The dimensions of its images.
    pub dimensions: DimensionSupport,
}

impl GivenInput {
    /// Everything that a run can be given.
    pub const ALL: [Self; 5] =
        [Self::Mask, Self::VolumeMask, Self::Weight, Self::Start, Self::SecondDirection];

    /// What a method does with it, in plain words: `use a volume mask`.
    pub const fn what_is_done(self) -> &'static str {
        match self {
            Self::Mask => "use a mask",
            Self::VolumeMask => "use a volume mask",
            Self::Weight => "use a weight image",
            Self::Start => "begin from a start",
            Self::SecondDirection => "estimate both directions",
        }
    }

    /// The input or option that it is.
    pub const fn hint(self) -> Hint {
        match self {
            Self::Mask => Hint::Mask,
            Self::VolumeMask => Hint::VolumeMask,
            Self::Weight => Hint::Weight,
            Self::Start => Hint::Start,
            Self::SecondDirection => Hint::Directions,
        }
    }
}

impl MethodUses {
    /// Images alone, pictures or volumes, in one piece.
    pub const IMAGES_ALONE: Self = Self {
        mask: InputUse::Never,
        volume_mask: InputUse::Never,
        weight: InputUse::Never,
        start: InputUse::Never,
        second_direction: InputUse::Never,
        finds_inverse: false,
        tiles: TileSupport::Never,
        dimensions: DimensionSupport::PicturesAndVolumes,
    };

    /// Whether the method uses an input.
    pub const fn of(&self, input: GivenInput) -> InputUse {
        match input {
            GivenInput::Mask => self.mask,
            GivenInput::VolumeMask => self.volume_mask,
            GivenInput::Weight => self.weight,
            GivenInput::Start => self.start,
            GivenInput::SecondDirection => self.second_direction,
        }
    }

    /// The parameter that keeps an input without effect, because it is 0 in `values`.
    pub fn switched_off_by(&self, input: GivenInput, values: &ParameterValues) -> Option<&'static str> {
        match self.of(input) {
            InputUse::Above0(name) if values.get(name)?.as_f64() == Some(0.0) => Some(name),
            _ => None,
        }
    }
}
