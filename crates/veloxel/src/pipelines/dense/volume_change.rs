//! How much volume changes where it should be preserved, and what is said of it.

use veloxel_core::parameters::ParameterValues;
use veloxel_core::{Hint, WarningKind, Warnings};
use veloxel_motion::{DenseDraft, GivenInput, InputUse};

/// Above this mean of |det − 1|, volume is not preserved as the constraint promises.
const MEAN: f64 = 0.05;
/// Above this mean in the worst of several fields, it is not preserved either.
const WORST: f64 = 0.08;

/// The preset that preserves volume best beside those for cines.
const ACCURATE: &str = "accurate";

/// The change of volume of the fields of a run: of each the mean |det(I + ∇d) − 1| where volume should be preserved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct VolumeChange {
    sum: f64,
    fields: f64,
    worst: f64,
}

impl VolumeChange {
    /// Counts a field in.
    pub fn add(&mut self, change: f64) {
        self.sum += change;
        self.fields += 1.0;
        self.worst = self.worst.max(change);
    }

    fn mean(&self) -> f64 {
        self.sum / self.fields.max(1.0)
    }

    fn is_preserved(&self) -> bool {
        self.mean() <= MEAN && self.worst <= WORST
    }
}

/// In what motion is followed, which decides what the determinant is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedSpace {
    /// In a volume, or in pictures that are all there is.
    Whole,
    /// In planes that cut through a body: it is their area that changes.
    Planes,
}

impl FromIterator<f64> for VolumeChange {
    fn from_iter<I: IntoIterator<Item = f64>>(changes: I) -> Self {
        let mut all = Self::default();
        changes.into_iter().for_each(|change| all.add(change));
        all
    }
}

/// Where a change was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangedPlace<'a> {
    /// What messages call it.
    pub name: &'a str,
    pub space: ChangedSpace,
}

impl<'a> ChangedPlace<'a> {
    /// The inside of a volume mask that messages call so.
    pub fn mask(name: &'a str) -> Self {
        Self { name, space: ChangedSpace::Whole }
    }
}

/// Whether these parameters of a method ask for the preservation of volume.
pub(crate) fn preserves_volume(draft: &DenseDraft, parameters: &ParameterValues) -> bool {
    let uses = &draft.method().uses;
    uses.of(GivenInput::VolumeMask) != InputUse::Never
        && uses.switched_off_by(GivenInput::VolumeMask, parameters).is_none()
}

/// Says so if the volume of a place, such as `muscle.nii.gz`, changes although the parameters ask for its preservation.
pub(crate) fn warn_of_volume_change(
    draft: &DenseDraft,
    parameters: &ParameterValues,
    ChangedPlace { name, space }: ChangedPlace<'_>,
    change: &VolumeChange,
    warnings: &mut Warnings,
) {
    if !preserves_volume(draft, parameters) || change.is_preserved() {
        return;
    }
    let worst = match change.fields {
        1.0 => String::new(),
        _ => format!(", by {:.3} in the worst field (at most {WORST})", change.worst),
    };
    let (what, why) = match (space, draft.preset()) {
        (ChangedSpace::Planes, _) => (
            "area",
            "muscle that shortens through its plane grows in it, and beta holds that back: set beta to 0, or follow all slices \
             together as a volume",
        ),
        (ChangedSpace::Whole, ACCURATE) => {
            ("volume", "the images outweigh its preservation with these parameters: raise beta")
        }
        (ChangedSpace::Whole, _) => (
            "volume",
            "the images outweigh its preservation with these parameters: raise beta, or take the preset accurate",
        ),
    };
    let message = format!(
        "{name}: {what} there changes by {:.3} in the mean (|det − 1|; expected at most {MEAN}){worst}: {why}",
        change.mean()
    );
    warnings.push_with_hint(WarningKind::Field, Hint::Parameters, message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use veloxel_core::Dimension;

    fn told(method: &str, beta: Option<f64>, changes: &[f64]) -> String {
        let mut draft = DenseDraft::named(method).unwrap();
        if let Some(beta) = beta {
            draft.set("beta", json!(beta), "").unwrap();
        }
        let parameters = draft.values(Dimension::Three).unwrap();
        let (change, mut warnings) = (changes.iter().copied().collect(), Warnings::new());
        let place = ChangedPlace::mask("muscle.nii.gz");
        warn_of_volume_change(&draft, &parameters, place, &change, &mut warnings);
        warnings.urgent().map(|warning| warning.message.clone()).collect()
    }

    #[test]
    fn a_change_of_volume_is_told_where_it_should_be_preserved() {
        assert_eq!(told("clg", Some(3.0), &[0.05]) + &told("clg", Some(0.0), &[0.289]), "");
        let message = told("clg", Some(3.0), &[0.289]);
        assert!(message.contains("muscle.nii.gz") && message.contains("0.289"), "{message}");
        assert!(message.contains("raise beta") && !message.contains("worst"), "{message}");
    }

    #[test]
    fn of_many_fields_the_mean_and_the_worst_count() {
        assert_eq!(told("clg", Some(3.0), &[0.01, 0.08, 0.02]), "");
        let message = told("clg", Some(3.0), &[0.01, 0.09, 0.02]);
        assert!(message.contains("0.040 in the mean") && message.contains("0.090 in the worst"), "{message}");
    }

    #[test]
    fn planes_change_their_area() {
        let mut draft = DenseDraft::named("clg").unwrap();
        draft.set("beta", json!(3.0), "").unwrap();
        let (parameters, mut warnings) = (draft.values(Dimension::Two).unwrap(), Warnings::new());
        let place = ChangedPlace { name: "the muscle", space: ChangedSpace::Planes };
        warn_of_volume_change(&draft, &parameters, place, &[0.2].into_iter().collect(), &mut warnings);
        let message = &warnings.urgent().next().unwrap().message;
        assert!(
            message.contains("area there changes by 0.200") && message.contains("as a volume"),
            "{message}"
        );
    }

    #[test]
    fn a_method_without_the_constraint_promises_nothing() {
        assert_eq!(told("fe", None, &[0.5]), "");
    }
}
