//! Warnings about a field as it was found, and what would make the next one better.

use super::StartKind;
use crate::pipelines::account::Account;
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
pub(super) struct ImagesOfField {
    pub dimension: Dimension,
    /// Whether both lie on one grid: each covers all of the other.
    pub share_grid: bool,
    /// What the run started from; none where the method takes no start.
    pub start: Option<StartKind>,
}

/// Says so if many vectors leave the moving image: grids that cover little of each other, or a motion too large for a run
/// that begins from no motion.
pub(super) fn warn_of_vectors_outside(share: f64, images: ImagesOfField, warnings: &mut Warnings) {
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

/// Above this mean |det − 1|, volume is not preserved as the constraint promises.
const VOLUME_CHANGE: f64 = 0.05;

/// Says so if the volume inside a mask of the volume constraint changes although the constraint is on: `change` is the mean
/// |det(I + ∇d) − 1| there.
pub(crate) fn warn_of_volume_change(draft: &DenseDraft, name: &str, change: f64, account: &mut Account) {
    let uses = &draft.method().uses;
    let is_off = uses.switched_off_by(GivenInput::VolumeMask, &account.parameters).is_some();
    if is_off || change <= VOLUME_CHANGE {
        return;
    }
    let message = format!(
        "{name}: volume there changes by {change:.3} in the mean (|det − 1|; expected at most {VOLUME_CHANGE}): it is not \
         preserved with this preset: take the preset accurate, or raise beta"
    );
    account.warnings.push_with_hint(WarningKind::Field, Hint::Parameters, message);
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
    use serde_json::json;

    #[test]
    fn a_change_of_volume_is_told_where_it_should_be_preserved() {
        let told = |beta: f64, change: f64| {
            let mut draft = DenseDraft::named("clg").unwrap();
            draft.set("beta", json!(beta), "").unwrap();
            let parameters = draft.values(Dimension::Three).unwrap();
            let mut account = Account { parameters, ..Account::default() };
            warn_of_volume_change(&draft, "muscle.nii.gz", change, &mut account);
            account.warnings.urgent().map(|warning| warning.message.clone()).collect::<String>()
        };
        assert_eq!(told(3.0, 0.05) + &told(0.0, 0.289), "");
        let message = told(3.0, 0.289);
        assert!(message.contains("muscle.nii.gz") && message.contains("0.289"), "{message}");
    }

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
