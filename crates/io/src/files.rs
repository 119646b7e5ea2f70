//! What all that reads and writes for one session shares: who may stop it, the memory it may take, the list of files that are not
//! whole yet, and which files were opened.

use crate::error::IoError;
use crate::file_identity::FileIdentity;
use crate::read::budget::DecodeBudget;
use crate::read::opened_files::{OpenedFiles, OpenedList};
use crate::write::pending::PendingFiles;
use std::sync::Arc;
use veloxel_core::{Control, Stopped};

/// The files of one session: readers and writers that share it are stopped together, take their memory from one budget, and list
/// their unfinished outputs in one place. Clones are the same; nothing is shared between values that were made apart.
///
/// ```no_run
/// use std::path::Path;
/// use veloxel_core::{Control, Warnings};
/// use veloxel_io::{Files, ReadOptions, read_image, write_image};
///
/// let files = Files::under(Control::default());
/// let mut warnings = Warnings::new();
/// let image = read_image(Path::new("heart.nii.gz"), files.reading(ReadOptions::default()), &mut warnings)?;
/// write_image(files.target("heart.nrrd"), &image, &mut warnings)?;
/// # Ok::<(), veloxel_io::IoError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Files {
    control: Control,
    budget: DecodeBudget,
    pending: PendingFiles,
    opened: OpenedFiles,
}

impl Files {
    /// Files whose readers and writers ask this channel whether to go on, at least every 50 ms of their work.
    pub fn under(control: Control) -> Self {
        Self { control, ..Self::default() }
    }

    /// These files with unfinished outputs in this list, whose content is removed when the program ends.
    #[must_use]
    pub fn listed_in(self, pending: PendingFiles) -> Self {
        Self { pending, ..self }
    }

    /// Files for a run beside one of these: with a channel and a budget of memory of their own, in the same lists.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self { pending: self.pending.clone(), opened: self.opened.clone(), ..Self::default() }
    }

    /// Whom readers and writers ask whether to go on.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The outputs that are not whole yet.
    pub fn pending(&self) -> &PendingFiles {
        &self.pending
    }

    /// A list of all files that readers open from now on; those that `will_replace` holds for, outputs of a run, are not read.
    pub fn list_opened(
        &self,
        will_replace: impl Fn(&FileIdentity) -> bool + Send + Sync + 'static,
    ) -> Arc<OpenedList> {
        self.opened.list(Box::new(will_replace))
    }

    pub(crate) fn opened(&self) -> &OpenedFiles {
        &self.opened
    }

    /// The error of a run that was stopped, if it was.
    pub(crate) fn stopped(&self) -> Option<IoError> {
        self.control.is_stopped().then_some(IoError::Stopped(Stopped))
    }

    pub(crate) fn budget(&self) -> &DecodeBudget {
        &self.budget
    }
}
