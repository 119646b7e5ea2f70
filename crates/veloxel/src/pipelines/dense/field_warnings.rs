//! Warnings about a field as it was found, and what would make the next one better.

use super::StartKind;
use veloxel_core::parameters::ParameterValues;
use veloxel_core::{Dimension, Grid, Hint, WarningKind, Warnings};
use veloxel_motion::{DenseDraft, GivenInput};

/// Above this share of vectors that leave the moving image, a field says little about it.
const LITTLE_OVERLAP: f64 = 0.5;

/// Above this share of vectors that leave the moving picture, matches are suggested: KITTI's pair has 0.15, the pairs of
/// Middlebury have 0.014 at most.
const LARGE_MOTION: f64 = 0.08;

/// The images of a field of which vectors lead outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImagesOfField {
    pub dimension: Dimension,
    /// Whether both lie on one grid: each covers all of the other.
    pub share_grid: bool,
    /// What the run started from; none where the method takes no start.
    pub start: Option<StartKind>,
}

/// Says so if many vectors leave the moving image: grids that cover little of each other, or a motion too large for a run
/// that begins from no motion.
pub(crate) fn warn_of_vectors_outside(share: f64, images: ImagesOfField, warnings: &mut Warnings) {
    let ImagesOfField { dimension, share_grid, start } = images;
    let is_large_motion =
        share > LARGE_MOTION && dimension == Dimension::Two && start == Some(StartKind::None);
    let covers_little = share > LITTLE_OVERLAP && !(share_grid && is_large_motion);
    let (hint, advice) = if covers_little {
        (
            Hint::Start,
            "which covers little of the fixed one: check the origins and directions of both, or begin with the shift between their \
         centres of mass",
        )
    } else if is_large_motion {
        (Hint::Matches, "as in pictures that move far: begin from matches, which find motion of any size")
    } else {
        return;
    };
    let message = format!("{:.0} % of the vectors leave the moving image, {advice}", 100.0 * share);
    warnings.push_with_hint(WarningKind::Content, hint, message);
}

/// The preset for cine MR.
const CINE: &str = "cine";

/// Frames that a cine has at least.
const CINE_FRAMES: usize = 8;

/// Slices of a cine MR are so many times as far apart as the voxels in them, at least.
const SLICES_APART: f64 = 3.0;

/// Says so if a sequence looks as a cine of short-axis slices does, and the method's preset for such was not taken.
pub(crate) fn suggest_cine(draft: &DenseDraft, grid: &Grid, frames: usize, warnings: &mut Warnings) {
    let presets = draft.method().parameters.presets;
    let has_preset = presets.iter().any(|preset| preset.name == CINE);
    if !has_preset || draft.preset() != presets[0].name || frames < CINE_FRAMES || !has_slices_of_a_cine(grid)
    {
        return;
    }
    let message = format!(
        "{frames} frames of slices far apart: if this is cine MR of a heart, the preset {CINE} is made for it"
    );
    warnings.push_with_hint(WarningKind::Content, Hint::Preset, message);
}

fn has_slices_of_a_cine(grid: &Grid) -> bool {
    let [x, y, z] = grid.spacing_mm();
    grid.dimension() == Dimension::Three && z >= SLICES_APART * x.max(y)
}

/// Says so if a mask of the volume constraint is given without the constraint.
pub(crate) fn note_idle_volume_mask(
    draft: &DenseDraft,
    name: &str,
    parameters: &ParameterValues,
    warnings: &mut Warnings,
) {
    let uses = &draft.method().uses;
    if let Some(parameter) = uses.switched_off_by(GivenInput::VolumeMask, parameters) {
        let message = format!("{name} has no effect while {parameter} is 0: set {parameter} to 1, or more");
        warnings.push_with_hint(WarningKind::Content, Hint::Parameters, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(warnings: &Warnings) -> String {
        warnings.urgent().map(|warning| warning.message.clone()).collect()
    }

    #[test]
    fn matches_are_suggested_where_pictures_move_far() {
        let pictures =
            ImagesOfField { dimension: Dimension::Two, share_grid: true, start: Some(StartKind::None) };
        let told = |share: f64, images: ImagesOfField| {
            let mut warnings = Warnings::new();
            warn_of_vectors_outside(share, images, &mut warnings);
            texts(&warnings)
        };
        assert!(told(0.15, pictures).contains("begin from matches"));
        // Pictures of one grid cover each other, however far their motion leads.
        assert!(told(0.6, pictures).contains("begin from matches"));
        assert!(told(0.6, ImagesOfField { share_grid: false, ..pictures }).contains("covers little"));
        assert_eq!(told(0.15, ImagesOfField { start: Some(StartKind::Matches), ..pictures }), "");
        assert_eq!(told(0.15, ImagesOfField { dimension: Dimension::Three, ..pictures }), "");
        assert_eq!(told(0.014, pictures), "");
    }

    #[test]
    fn the_cine_preset_is_suggested_for_slices_far_apart() {
        let told = |preset: &str, spacing_mm: [f64; 3], frames: usize| {
            let mut draft = DenseDraft::named("clg").unwrap();
            draft.set_preset(preset).unwrap();
            let grid = Grid::volume(64, 64, 10).unwrap().with_spacing_mm(spacing_mm).unwrap();
            let mut warnings = Warnings::new();
            suggest_cine(&draft, &grid, frames, &mut warnings);
            texts(&warnings)
        };
        assert!(told("accurate", [1.5, 1.5, 10.0], 30).contains("the preset cine"));
        assert_eq!(told("cine", [1.5, 1.5, 10.0], 30), "");
        assert_eq!(told("accurate", [1.5, 1.5, 2.0], 30), "");
        assert_eq!(told("accurate", [1.5, 1.5, 10.0], 2), "");
    }
}
