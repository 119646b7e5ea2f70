//! Every dense method, by the name that faces know it by: a new one is its folder and a line here.

use crate::block_matching::BlockMatching;
use crate::block_matching::parameters::BlockMatchingParams;
use crate::clg::Clg;
use crate::clg::parameters::ClgParams;
use crate::error::{MotionError, Result};
use crate::finite_elements::FiniteElements;
use crate::finite_elements::parameters::FiniteElementsParams;
use crate::lucas_kanade::LucasKanade;
use crate::lucas_kanade::parameters::LucasKanadeParams;
use crate::method::pair::PairMethod;
use crate::method::uses::{DimensionSupport, GivenInput, InputUse, MethodUses, TileSupport};
use crate::method::window::WindowMethod;
use crate::over::inverse_consistency::InverseConsistent;
use crate::over::matches::Matched;
use crate::over::refined::Refined;
use crate::phase::flow::PhaseFlow;
use crate::phase::parameters::{FrameCount, PhaseParameters};
use crate::symmetric::Symmetric;
use crate::symmetric::parameters::SymmetricParams;
use std::fmt;
use veloxel_core::Grid;
use veloxel_core::parameters::{MethodDraft, MethodEntry, MethodParameters, ParameterValues, Parameters};
use veloxel_gpu::Device;

/// What most methods of pairs use.
const OF_PAIRS: MethodUses = MethodUses {
    mask: InputUse::Always,
    start: InputUse::Always,
    second_direction: InputUse::Always,
    tiles: TileSupport::Overlapping,
    ..MethodUses::IMAGES_ALONE
};

/// What methods of windows use.
const OF_WINDOWS: MethodUses = MethodUses {
    mask: InputUse::Always,
    tiles: TileSupport::SameBits,
    dimensions: DimensionSupport::Pictures,
    ..MethodUses::IMAGES_ALONE
};

/// Every dense method; the first is the one that faces begin with.
pub static METHODS: [DenseMethodEntry; 6] = [
    DenseMethodEntry {
        parameters: MethodParameters::of::<ClgParams>(),
        title: "Combined local-global flow",
        summary: "a local window and global smoothness, in warps over a pyramid",
        takes: TakenImages::Pairs,
        uses: MethodUses { volume_mask: InputUse::Above0("beta"), ..OF_PAIRS },
        open: |opening| {
            opening.pairs_over(&ClgParams::preset_on(opening.draft.preset(), opening.image)?, Clg::new)
        },
    },
    DenseMethodEntry {
        parameters: MethodParameters::of::<PhaseParameters>(),
        title: "Phase-based flow",
        summary: "of the centre of 2, 3 or 5 pictures (of the first of two), from phases of Gabor filters",
        takes: TakenImages::Windows { sizes: &[2, 3, 5] },
        uses: OF_WINDOWS,
        open: open_phase,
    },
    DenseMethodEntry {
        parameters: MethodParameters::of::<LucasKanadeParams>(),
        title: "Pyramidal iterative Lucas-Kanade",
        summary: "every voxel from its own window",
        takes: TakenImages::Pairs,
        uses: MethodUses { weight: InputUse::Always, tiles: TileSupport::SameBits, ..OF_PAIRS },
        open: |opening| opening.pairs(LucasKanade::new),
    },
    DenseMethodEntry {
        parameters: MethodParameters::of::<BlockMatchingParams>(),
        title: "Pyramidal block matching",
        summary: "the window of one image that is most like that of the other",
        takes: TakenImages::Pairs,
        uses: MethodUses { tiles: TileSupport::SameBits, ..OF_PAIRS },
        open: |opening| opening.pairs(BlockMatching::new),
    },
    DenseMethodEntry {
        parameters: MethodParameters::of::<FiniteElementsParams>(),
        title: "Finite elements",
        summary: "a smooth field of cubic Bézier elements, by Levenberg-Marquardt",
        takes: TakenImages::Pairs,
        uses: MethodUses { weight: InputUse::Always, ..OF_PAIRS },
        open: |opening| opening.pairs(FiniteElements::new),
    },
    DenseMethodEntry {
        parameters: MethodParameters::of::<SymmetricParams>(),
        title: "Symmetric registration",
        summary: "a field and its inverse, neither of which folds, by steps of a middle of both images",
        takes: TakenImages::Pairs,
        uses: MethodUses { finds_inverse: true, tiles: TileSupport::Never, ..OF_PAIRS },
        open: |opening| opening.pairs(Symmetric::new),
    },
];

/// What a method estimates its flow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenImages {
    /// Two images.
    Pairs,
    /// Consecutive frames.
    Windows {
        /// How many, the fewest first.
        sizes: &'static [usize],
    },
}

impl TakenImages {
    /// How many of so many frames a flow of a sequence is estimated from, unless a parameter says so: the most that there are enough for.
    pub fn of_sequence(self, count: usize) -> usize {
        match self {
            Self::Pairs => 2,
            Self::Windows { sizes } => {
                sizes.iter().rev().find(|&&size| size <= count).copied().unwrap_or(count)
            }
        }
    }

    /// The most frames that a flow is estimated from.
    pub fn most(self) -> usize {
        match self {
            Self::Pairs => 2,
            Self::Windows { sizes } => sizes.iter().copied().max().unwrap_or(0),
        }
    }
}

/// A dense method before it is opened: an entry of [`METHODS`], or a method that another crate declares.
///
/// A `static` of this type is all that pipelines and jobs need to run the method: a [`DenseDraft`] of it takes the method along.
///
/// ```
/// use veloxel_core::parameters::MethodParameters;
/// use veloxel_motion::{
///     DenseDraft, DenseMethodEntry, InputUse, LucasKanade, LucasKanadeParams, MethodUses, TakenImages,
/// };
///
/// static MASKED_ONLY: DenseMethodEntry = DenseMethodEntry {
///     parameters: MethodParameters::of::<LucasKanadeParams>(),
///     title: "Lucas-Kanade from another crate",
///     summary: "every voxel from its own window",
///     takes: TakenImages::Pairs,
///     uses: MethodUses { mask: InputUse::Always, ..MethodUses::IMAGES_ALONE },
///     open: |opening| opening.pairs(LucasKanade::new),
/// };
/// let draft = DenseDraft::new(&MASKED_ONLY);
/// assert_eq!(draft.method().title, "Lucas-Kanade from another crate");
/// ```
pub struct DenseMethodEntry {
    /// Its name, its parameters and its presets.
    pub parameters: MethodParameters,
    /// What it is called, as a heading.
    pub title: &'static str,
    /// How it works, in a few words that go on from the title.
    pub summary: &'static str,
    /// What it estimates its flow from.
    pub takes: TakenImages,
    /// What it uses beside its images.
    pub uses: MethodUses,
    /// Opens it; [`MethodOpening::pairs`] does so by the constructor of a method of pairs.
    pub open: fn(&MethodOpening<'_>) -> Result<OpenedMethod>,
}

/// A dense method with a preset and settings.
pub type DenseDraft = MethodDraft<DenseMethodEntry>;

/// What a method is opened with.
#[derive(Debug, Clone, Copy)]
pub struct MethodOpening<'a> {
    /// The grid that it is opened for.
    pub grid: &'a Grid,
    /// The grid of the images, of which that may be a tile: presets may depend on it.
    pub image: &'a Grid,
    /// How many frames there are.
    pub frames: usize,
    /// What white is in the images.
    pub white: f32,
    /// The preset, and what was set beside it.
    pub draft: &'a DenseDraft,
    /// Where it runs.
    pub device: &'a Device,
}

/// An opened method and the parameters in force.
pub struct OpenedMethod {
    /// The method.
    pub method: AnyMethod,
    /// Names and values.
    pub parameters: ParameterValues,
}

/// A method of either kind.
pub enum AnyMethod {
    /// A method of two images.
    Pair(Box<dyn PairMethod>),
    /// A method of a window of frames.
    Window(Box<dyn WindowMethod>),
}

impl fmt::Debug for DenseMethodEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Method").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl PartialEq for DenseMethodEntry {
    /// Whether both are one and the same value: two methods may bear one name.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl MethodEntry for DenseMethodEntry {
    fn table() -> &'static [Self] {
        &METHODS
    }

    fn parameters(&self) -> &MethodParameters {
        &self.parameters
    }
}

impl DenseMethodEntry {
    /// The method's name, as on the command line.
    pub fn name(&self) -> &'static str {
        self.parameters.method
    }

    /// Refuses what the method does not use.
    ///
    /// # Errors
    /// [`MotionError::NotUsed`] with the first input that it does not use, and the methods of [`METHODS`] that do.
    pub fn require(&self, given: &[GivenInput]) -> Result<()> {
        let unused = given.iter().find(|input| self.uses.of(**input) == InputUse::Never);
        let Some(&input) = unused else { return Ok(()) };
        let used_by = METHODS.iter().filter(|method| method.uses.of(input) != InputUse::Never);
        let used_by = used_by.map(Self::name).collect();
        Err(MotionError::NotUsed { method: self.name(), input, used_by })
    }
}

impl AnyMethod {
    /// The frame whose flow is found, among those that are given.
    pub fn centre(&self) -> usize {
        match self {
            Self::Pair(_) => 0,
            Self::Window(method) => method.window().centre,
        }
    }

    /// The method, beginning from matches where it takes pairs.
    #[must_use]
    pub fn matched(self) -> Self {
        match self {
            Self::Pair(method) => Self::Pair(Box::new(Matched::of_box(method))),
            window => window,
        }
    }

    /// The method, estimating both directions where it takes pairs.
    #[must_use]
    pub fn inverse_consistent(self) -> Self {
        match self {
            Self::Pair(method) => Self::Pair(Box::new(InverseConsistent::of_box(method))),
            window => window,
        }
    }

    /// The method, with its flow refined.
    #[must_use]
    pub fn refined(self) -> Self {
        match self {
            Self::Pair(method) => Self::Pair(Box::new(Refined::of_box(method))),
            Self::Window(method) => Self::Window(Box::new(Refined::of_box(method))),
        }
    }
}

impl MethodOpening<'_> {
    /// Opens the draft's method.
    ///
    /// # Errors
    /// [`MotionError::Parameter`]; [`MotionError::NotAPicture`] for volumes where only pictures are possible;
    /// [`MotionError::Sequence`] for a number of frames that the method cannot take.
    pub fn open(&self) -> Result<OpenedMethod> {
        (self.draft.method().open)(self)
    }

    /// A method of pairs, by its constructor, with the draft's parameters.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] if the draft has others than the constructor takes; whatever the constructor fails with.
    pub fn pairs<P: Parameters, M: PairMethod + 'static>(
        &self,
        new: fn(&Grid, P, &Device) -> Result<M>,
    ) -> Result<OpenedMethod> {
        self.with_parameters(self.draft.build(self.image.dimension())?, new)
    }

    /// [`Self::pairs`] with the draft's settings over other parameters than its preset's.
    ///
    /// # Errors
    /// As [`Self::pairs`].
    pub fn pairs_over<P: Parameters, M: PairMethod + 'static>(
        &self,
        base: &P,
        new: fn(&Grid, P, &Device) -> Result<M>,
    ) -> Result<OpenedMethod> {
        self.with_parameters(self.draft.over(base)?, new)
    }

    fn with_parameters<P: Parameters, M: PairMethod + 'static>(
        &self,
        params: P,
        new: fn(&Grid, P, &Device) -> Result<M>,
    ) -> Result<OpenedMethod> {
        let parameters = params.to_json();
        let method = new(self.grid, params, self.device)?;
        Ok(OpenedMethod { method: AnyMethod::Pair(Box::new(method)), parameters })
    }
}

fn open_phase(opening: &MethodOpening<'_>) -> Result<OpenedMethod> {
    let frames = FrameCount::of_count(opening.frames).ok_or_else(|| {
        let got = if opening.frames > 5 { "more".to_owned() } else { opening.frames.to_string() };
        let advice = "give just these, or estimate a sequence or a stream for every frame";
        MotionError::Sequence {
            reason: format!("phase-based flow takes 2, 3 or 5 frames, got {got}: {advice}"),
        }
    })?;
    let preset = PhaseParameters::preset_named(opening.draft.preset(), opening.grid.dimension())?;
    let base = PhaseParameters { frames, full_scale: opening.white, ..preset };
    let params: PhaseParameters = opening.draft.over(&base)?;
    let method = PhaseFlow::new(opening.grid, &params, opening.device)?;
    Ok(OpenedMethod { method: AnyMethod::Window(Box::new(method)), parameters: params.to_json() })
}
