//! The maps of a sequence, such as its confidences: one 4-D file, or a file a field in a folder, as the name says.

use crate::jobs::outputs::pictures::write_sampled;
use crate::jobs::{OutputContent, OutputPlan, OutputRole, Result};
use crate::pipelines::FieldLabel;
use crate::pipelines::encode::is_in_whole_numbers;
use std::path::{Path, PathBuf};
use veloxel_core::{Dimension, Sequence, Volume, Warnings};
use veloxel_io::{self as io, ContentKind, Target};

/// What an output of maps holds, by its name.
pub(super) fn holds(path: &Option<PathBuf>) -> OutputContent {
    match path {
        Some(path) if !is_folder(path) => OutputContent::Samples(ContentKind::Sequence),
        _ => OutputContent::Folder,
    }
}

/// Whether a name is that of a folder.
pub(super) fn is_folder(path: &Path) -> bool {
    (path.is_dir() && !io::is_store(path)) || path.extension().is_none()
}

/// Maps on their way to their output.
pub(super) struct SequenceMaps {
    role: OutputRole,
    place: Place,
}

enum Place {
    /// The maps are not wanted.
    Nowhere,
    /// A folder.
    Folder(Target),
    /// In the order of their fields: fixed and moving frame.
    Stack(Vec<([usize; 2], Volume<f32>)>),
}

impl SequenceMaps {
    /// Maps of an output of the plan.
    pub fn new(plan: &mut OutputPlan, role: OutputRole, path: &Option<PathBuf>) -> Result<Self> {
        let place = match path {
            None => Place::Nowhere,
            Some(path) if is_folder(path) => {
                Place::Folder(plan.target(role)?.expect("the folder should be planned"))
            }
            Some(_) => Place::Stack(Vec::new()),
        };
        Ok(Self { role, place })
    }

    /// Takes the map of a field; `like` is the image that it was sampled from, if it was.
    pub fn take(
        &mut self,
        field: &FieldLabel,
        map: &Volume<f32>,
        like: Option<&Volume<f32>>,
        warnings: &mut Warnings,
    ) -> Result<()> {
        match &mut self.place {
            Place::Nowhere => {}
            Place::Stack(maps) => maps.push(([field.fixed, field.moving], map.clone())),
            Place::Folder(folder) => {
                let is_whole = like.is_some_and(is_in_whole_numbers);
                let extension = match map.grid().dimension() {
                    Dimension::Three => "nii.gz",
                    Dimension::Two if is_whole => "png",
                    Dimension::Two => "tif",
                };
                let name = format!("{}_{}.{extension}", self.role.text(), field.name());
                write_sampled(&folder.join(&name), map, like.unwrap_or(map), warnings)?;
            }
        }
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(self, plan: &mut OutputPlan, frame_interval_ms: Option<f64>) -> Result<()> {
        let Place::Stack(mut maps) = self.place else { return Ok(()) };
        maps.sort_by_key(|(frames, _)| *frames);
        let maps = maps.into_iter().map(|(_, map)| map).collect();
        let stack = Sequence::new(maps, frame_interval_ms)?;
        plan.write(self.role, |target| io::write_sequence(target, &stack))
    }
}
