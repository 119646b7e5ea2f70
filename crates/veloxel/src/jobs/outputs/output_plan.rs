//! The plan of a job's files: all that it reads and all that it writes, checked before the first byte, written, and taken
//! back if a later one fails.

use super::identity::{Identity, files, is_stream};
use super::pictures::check_keeps_samples;
use crate::jobs::OutputRole;
use crate::jobs::job_run::JobRun;
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use std::path::{Path, PathBuf};
use veloxel_core::{Control, Dimension, Grid};
use veloxel_io::{self as io, ContentKind, Files, Format, IoError, Publication, Target, Unpublished};
use veloxel_report::{InputReport, to_json};

/// What an output holds, which says how it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputContent {
    /// Samples in the format of the extension.
    Samples(ContentKind),
    /// Samples in [0, 1], which a format must not change.
    Confidence,
    /// A disparity in the format of the extension.
    Disparity,
    /// `.y4m`, `.gif`, or `-`, a stream; a name without an extension is a folder of pictures.
    Video,
    /// A picture in colours, in the format of the extension.
    Picture,
    /// A matrix, `.npy`.
    Matrix,
    /// A matrix, `.npy` or `.csv`.
    MatrixTable,
    /// A table as text: `.csv`, `.tsv` or `.txt`.
    Table,
    /// The part of every face of a mesh, a number a line: `.seg` or `.txt`.
    FaceLabels,
    /// Points, in the format of the file that they came from.
    Points,
    /// JSON or a page, whatever the extension.
    Text,
    /// Many files, which appear together at the end; the folder may be there already.
    Folder,
}

/// An output, and how far it is.
struct Output {
    role: OutputRole,
    path: PathBuf,
    holds: OutputContent,
    /// Where it is written until all get their names; none until it is begun.
    target: Option<Target>,
    /// Beginnings of the names of the files that a folder gets.
    members: &'static [&'static str],
    /// Output folder that contains this file; both are published together.
    home: Option<OutputRole>,
}

/// All files of a job by their roles. Dropped before [`finish`](Self::finish), it leaves none of them.
#[derive(Default)]
pub struct OutputPlan {
    /// The files of the session that writes.
    files: Files,
    inputs: Vec<(&'static str, PathBuf)>,
    /// Files that are read and are no inputs of the method.
    settings: Vec<PathBuf>,
    outputs: Vec<Output>,
    /// The outputs that were begun.
    publication: Option<Publication>,
}

impl OutputPlan {
    /// A plan without files yet; writers ask the session's observer whether to go on, and are listed with its unfinished files.
    pub fn of(session: &Session) -> Self {
        Self { files: session.files().clone(), ..Self::default() }
    }

    /// Adds files that the job reads.
    pub fn reads<'a>(mut self, role: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(|path| (role, path.clone())));
        self
    }

    /// Adds files that the job reads, such as parameters, and that no report lists among the inputs.
    pub fn reads_settings<'a>(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.settings.extend(paths.into_iter().cloned());
        self
    }

    /// Says how the names begin of the files that a folder gets: inputs that lie in it and are called so are refused before the
    /// work, not at its end.
    pub fn members(mut self, role: OutputRole, members: &'static [&'static str]) -> Self {
        self.outputs
            .iter_mut()
            .filter(|output| output.role == role)
            .for_each(|output| output.members = members);
        self
    }

    /// Adds an output, where one is asked for.
    pub fn writes<'a>(
        mut self,
        role: OutputRole,
        path: impl IntoIterator<Item = &'a PathBuf>,
        holds: OutputContent,
    ) -> Self {
        for path in path {
            let is_home = |folder: &&Output| folder.is_folder() && lies_in(path, &folder.path);
            let home = self.outputs.iter().filter(|_| holds == OutputContent::Text).find(is_home);
            let home = home.map(|folder| folder.role);
            self.outputs.push(Output { role, path: path.clone(), holds, target: None, members: &[], home });
        }
        self
    }

    /// Refuses, before the work, outputs that could not be written, and those that are an input or another output.
    ///
    /// # Errors
    /// As [`check_output`](io::check_output) and its like; [`VeloxelError::ReplacesInput`]; [`VeloxelError::SameOutput`];
    /// [`IoError::Write`] for a link to a standard stream of this program.
    pub fn check(&self) -> Result<()> {
        self.outputs.iter().try_for_each(|output| output.check(None, &self.files))?;
        let (inputs, streams) = (self.identities_read(), Identity::of_streams());
        let mut taken: Vec<Identity> = Vec::new();
        for output in &self.outputs {
            let (path, own) = (&output.path, output.identities());
            let is_one_of = |others: &[Identity]| others.iter().any(|other| own.iter().any(|o| o.is(other)));
            if is_one_of(&inputs) || inputs.iter().any(|input| output.will_replace(&own, input)) {
                return Err(VeloxelError::ReplacesInput { path: path.clone() });
            }
            let mut folders = self.outputs.iter().filter(|output| output.is_folder());
            let in_folder = |folder: &Output| {
                let place = folder.identities();
                own.iter().any(|own| folder.will_replace(&place, own))
            };
            if is_one_of(&taken) || folders.any(in_folder) {
                return Err(VeloxelError::SameOutput { path: path.clone() });
            }
            if is_one_of(&streams) {
                let error = std::io::Error::other("it is a standard stream of this program: name a file");
                return Err(IoError::write(path)(error).into());
            }
            taken.extend(own);
        }
        Ok(())
    }

    /// The plan, once nothing in it is refused ([`check`](Self::check)); what earlier runs left unfinished where it writes is
    /// finished or removed. From then on progress while files are read is a share of the inputs' bytes.
    pub(crate) fn checked(self) -> Result<Self> {
        for output in self.outputs.iter().filter(|output| !is_stream(&output.path)) {
            io::resolve_earlier(&output.path, &self.files)?;
        }
        self.check()?;
        expect_to_read(self.inputs.iter().map(|(_, path)| path), self.files.control())?;
        Ok(self)
    }

    /// Everything that the job reads: members of folders and patterns, and the samples of headers, included.
    fn identities_read(&self) -> Vec<Identity> {
        let paths = self.inputs.iter().map(|(_, path)| path).chain(&self.settings);
        let files = paths.flat_map(|path| {
            if is_stream(path) {
                Identity::of_stream(&std::io::stdin()).into_iter().collect()
            } else {
                Identity::read(path)
            }
        });
        files.collect()
    }

    /// Refuses files of hidden folders that would replace an input or another output, once their names are known.
    fn check_members(&self) -> Result<()> {
        let inputs = self.identities_read();
        let is_file = |output: &&Output| !output.is_folder() && output.home.is_none();
        let outputs: Vec<Identity> =
            self.outputs.iter().filter(is_file).flat_map(Output::identities).collect();
        let folders: Vec<_> = self.outputs.iter().filter(|output| output.is_folder()).collect();
        for file in self.publication.iter().map(Publication::names).collect::<Result<Vec<_>, _>>()?.concat() {
            let own = Identity::of(&file);
            if inputs.iter().any(|input| input.is(&own)) {
                return Err(VeloxelError::ReplacesInput { path: file });
            }
            let is_member = folders.iter().any(|folder| lies_below(&own, &Identity::of(&folder.path)));
            if is_member && outputs.iter().any(|output| output.is(&own)) {
                return Err(VeloxelError::SameOutput { path: file });
            }
        }
        Ok(())
    }

    /// Refuses formats that cannot hold the dimension, once that is known.
    ///
    /// # Errors
    /// [`IoError::Unsupported`].
    pub fn check_dimension(&self, dimension: Dimension) -> Result<()> {
        self.outputs.iter().try_for_each(|output| output.check(Some(dimension), &self.files))
    }

    /// The outputs, by their roles.
    pub fn outputs(&self) -> impl Iterator<Item = (OutputRole, &PathBuf)> {
        self.outputs.iter().map(|output| (output.role, &output.path))
    }

    /// Where to write an output, if it is asked for: it gets its name when the plan is [finished](Self::finish).
    ///
    /// # Errors
    /// [`IoError::Write`] if there is no place for it.
    pub fn target(&mut self, role: OutputRole) -> Result<Option<Target>> {
        let Some(output) = self.outputs.iter_mut().find(|output| output.role == role) else {
            return Ok(None);
        };
        if let (Some(home), Some(name)) = (output.home, output.path.file_name()) {
            let name = name.to_owned();
            return Ok(self.target(home)?.map(|folder| folder.join(name)));
        }
        if output.target.is_none() {
            let publication = self.publication.get_or_insert_with(|| Publication::of(&self.files));
            output.target = Some(match &output.path {
                stream if is_stream(stream) => self.files.target(stream),
                folder if output.is_folder() => publication.folder(folder)?,
                file => publication.target(file)?,
            });
        }
        Ok(output.target.clone())
    }

    /// Writes an output, if it is asked for.
    ///
    /// # Errors
    /// As [`target`](Self::target) and `write`.
    pub fn write<E: Into<VeloxelError>>(
        &mut self,
        role: OutputRole,
        write: impl FnOnce(Target) -> Result<(), E>,
    ) -> Result<()> {
        self.target(role)?.map_or(Ok(()), |target| write(target).map_err(Into::into))
    }

    /// Gives all outputs their names; what was written, by its role.
    ///
    /// # Errors
    /// [`IoError::Write`], [`VeloxelError::ReplacesInput`] or [`VeloxelError::SameOutput`]; no output has its name then, and the
    /// error carries those that could not be taken back.
    pub fn finish(mut self) -> Result<Vec<(OutputRole, PathBuf)>> {
        self.check_members()?;
        if let Some(publication) = self.publication.take() {
            publication.publish().map_err(|failed| {
                let Unpublished { error, left_behind } = *failed;
                VeloxelError::from(error).leaving(left_behind)
            })?;
        }
        let written =
            self.outputs.into_iter().filter(|output| output.target.is_some() || output.home.is_some());
        Ok(written.map(|output| (output.role, output.path)).collect())
    }

    /// Writes the report as JSON, into the job's folder as well, and the page; then the plan is done.
    pub(crate) fn publish<R: Serialize>(
        mut self,
        report: R,
        page: impl FnOnce(&R) -> Result<String>,
    ) -> Result<JobRun<R>> {
        let json = to_json(&report)?;
        self.write(OutputRole::Folder, |folder| io::write_text(folder.join("report.json"), &json))?;
        self.write(OutputRole::Report, |target| io::write_text(target, &json))?;
        self.write(OutputRole::Page, |target| {
            Ok::<_, VeloxelError>(io::write_text(target, &page(&report)?)?)
        })?;
        Ok(JobRun { report, written: self.finish()? })
    }

    /// The inputs as reports show them; `grid_of` says on which grid the n-th of them lies.
    pub fn input_reports<'a>(&self, grid_of: impl Fn(usize) -> &'a Grid) -> Vec<InputReport> {
        let report = |(nth, (role, path)): (usize, &(&str, PathBuf))| {
            InputReport::new(role, &path.display().to_string(), &format_text(path), grid_of(nth))
        };
        self.inputs.iter().enumerate().map(report).collect()
    }
}

/// Says how many bytes these inputs have, for the progress of the stage that reads them.
///
/// # Errors
/// [`VeloxelError::Stopped`].
pub(crate) fn expect_to_read<'a>(
    inputs: impl IntoIterator<Item = &'a PathBuf>,
    control: &Control,
) -> Result<()> {
    let files = inputs.into_iter().filter(|path| !is_stream(path));
    control.expect_bytes(io::bytes_to_read(files, control)?);
    Ok(())
}

impl Output {
    /// Itself, and the file beside it that gets its samples.
    fn identities(&self) -> Vec<Identity> {
        files(&self.path).iter().map(|file| Identity::of(file)).collect()
    }

    /// Whether a file lies in this folder, whose identity is `own`, under a name that the folder will get.
    fn will_replace(&self, own: &[Identity], file: &Identity) -> bool {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        self.is_folder()
            && own.iter().any(|folder| file.path.parent() == Some(&folder.path))
            && self.members.iter().any(|member| name.starts_with(member))
    }

    fn is_folder(&self) -> bool {
        self.holds == OutputContent::Folder
            || self.holds == OutputContent::Video && !is_stream(&self.path) && self.path.extension().is_none()
    }

    fn check(&self, dimension: Option<Dimension>, session: &Files) -> Result<()> {
        let path = &self.path;
        match self.holds {
            _ if self.home.is_some() => return Ok(()),
            _ if self.is_folder() => {
                io::check_folder(path)?;
                if path.exists() && !path.is_dir() {
                    let error = std::io::Error::other("it exists and is not a folder");
                    return Err(IoError::write(path)(error).into());
                }
                return Ok(());
            }
            OutputContent::Video if is_stream(path) => return Ok(()),
            OutputContent::Video => io::check_video_output(path)?,
            OutputContent::Samples(kind) => io::check_output(path, kind, dimension)?,
            OutputContent::Confidence => {
                check_keeps_samples(path)?;
                io::check_output(path, ContentKind::Image, dimension)?;
            }
            OutputContent::Disparity => io::check_disparity_output(path)?,
            OutputContent::Picture => io::check_rgb_output(path)?,
            OutputContent::Matrix => io::check_npy_output(path)?,
            OutputContent::MatrixTable => io::check_matrix_output(path)?,
            OutputContent::Table => check_table(path)?,
            OutputContent::FaceLabels => io::check_face_labels_output(path)?,
            OutputContent::Points => check_points(path)?,
            OutputContent::Text | OutputContent::Folder => io::check_folder(path)?,
        }
        Ok(io::check_writable(session.target(path))?)
    }
}

/// Refuses a table under the name of another kind of file.
fn check_table(path: &Path) -> Result<(), IoError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ["csv", "tsv", "txt"].contains(&extension.as_str()) {
        return io::check_folder(path);
    }
    let known = ".csv, .tsv, .txt".to_owned();
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "writing a table", known })
}

/// Refuses points under the name of an image, a field or a mesh.
fn check_points(path: &Path) -> Result<(), IoError> {
    if Format::from_path(path).is_none() {
        return io::check_folder(path);
    }
    let known = ".csv, .txt, .fcsv, .mrk.json".to_owned();
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "writing points", known })
}

/// Whether a file lies directly in a folder, which need not be there yet.
fn lies_in(file: &Path, folder: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.is_some_and(|parent| Identity::of(parent).is(&Identity::of(folder)))
}

/// Whether a file lies in a folder or in one of its folders.
fn lies_below(file: &Identity, folder: &Identity) -> bool {
    file.path.starts_with(&folder.path)
}

/// The format of a file, as in reports.
fn format_text(path: &Path) -> String {
    let format = || Format::from_path(path).map_or_else(|| "unknown".to_owned(), Format::to_string);
    if path.is_dir() { "folder".to_owned() } else { format() }
}

/// A file's own name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
