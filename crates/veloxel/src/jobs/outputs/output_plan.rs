//! The plan of a job's files: all that it reads and all that it writes, checked before the first byte, written, and taken
//! back if a later one fails.

use super::pictures::check_keeps_samples;
use super::planned_files::{PlannedFiles, PlannedFolder, files, identities_read, is_stream, of_streams};
use crate::jobs::OutputRole;
use crate::jobs::job_run::JobRun;
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veloxel_core::{Control, Grid};
use veloxel_io::{
    self as io, ContentKind, FileIdentity, FileSet, Files, Format, IoError, OpenedList, Outcome,
};
use veloxel_io::{Publication, Resolved, Target};
use veloxel_report::{InputReport, to_json};

/// What an output holds, which says how it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputContent {
    /// Samples in the format of the extension.
    Samples(ContentKind),
    /// Samples in [0, 1], which a format must not change.
    Confidence,
    /// Covariances of a field, `.npy`.
    Covariance,
    /// A disparity in the format of the extension.
    Disparity,
    /// A depth in the format of the extension.
    Depth,
    /// Points in space, `.ply`.
    Cloud,
    /// `.y4m`, `.gif`, or `-`, a stream; a name without an extension is a folder of pictures.
    Video,
    /// A picture in colours, in the format of the extension.
    Picture,
    /// A matrix, `.npy`.
    Matrix,
    /// A matrix, `.npy` or `.csv`.
    MatrixTable,
    /// Tracks of points, a table as text or an array: `.csv`, `.tsv`, `.txt` or `.npy`.
    Tracks,
    /// The part of every face of a mesh, a number a line: `.seg` or `.txt`.
    FaceLabels,
    /// Closed outlines of structures, `.json` or `.csv`.
    Outlines,
    /// A linear transform: `.tfm`, `.mat` or `.txt`.
    Transform,
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
    members: Vec<String>,
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
    /// Every file that was opened since the plan was checked.
    opened: Option<Arc<OpenedList>>,
    /// The outputs that were begun.
    publication: Option<Publication>,
    /// Files of output folders that this run gave their names before.
    pub(crate) published: Vec<PathBuf>,
}

impl OutputPlan {
    /// A plan without files yet; writers ask the session's observer whether to go on, and are listed with its unfinished files.
    pub fn of(session: &Session) -> Self {
        Self { files: session.files().clone(), ..Self::default() }
    }

    /// Adds files that the job reads.
    pub fn reads<'a>(mut self, role: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(|path| (role, io::shown_source(path))));
        self
    }

    /// Adds files that the job reads, such as parameters, and that no report lists among the inputs.
    pub fn reads_settings<'a>(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.settings.extend(paths.into_iter().cloned());
        self
    }

    /// Says how the names begin of the files that a folder gets: inputs and other outputs that lie in it and are called so are
    /// refused before the work.
    pub fn members<S: Into<String>>(
        mut self,
        role: OutputRole,
        members: impl IntoIterator<Item = S>,
    ) -> Self {
        if let Some(output) = self.outputs.iter_mut().find(|output| output.role == role) {
            output.members = members.into_iter().map(Into::into).collect();
        }
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
            self.outputs.push(Output {
                role,
                path: path.clone(),
                holds,
                target: None,
                members: Vec::new(),
                home,
            });
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
        let (inputs, streams) = (self.identities_read(), of_streams());
        let mut taken = PlannedFiles::default();
        let folders: Vec<PlannedFolder> = self.outputs.iter().filter_map(Output::planned_folder).collect();
        for output in &self.outputs {
            let (path, own) = (&output.path, output.planned());
            if inputs.iter().any(|input| own.will_replace(input)) {
                return Err(VeloxelError::ReplacesInput { path: path.clone() });
            }
            let is_in_folder = |own| folders.iter().any(|folder| folder.will_replace(own));
            if own.files.iter().any(|own| taken.will_replace(own) || is_in_folder(own)) {
                return Err(VeloxelError::SameOutput { path: path.clone() });
            }
            if streams.iter().any(|stream| own.will_replace(stream)) {
                let error = std::io::Error::other("it is a standard stream of this program: name a file");
                return Err(IoError::write(path)(error).into());
            }
            taken.files.extend(own.files);
        }
        Ok(())
    }

    /// The plan, once nothing in it is refused ([`check`](Self::check)); what earlier runs left unfinished where it writes is
    /// finished or removed. From then on a file that an output would replace is not read, whatever leads to it, and progress while
    /// files are read is a share of the inputs' bytes.
    pub(crate) fn checked(mut self) -> Result<Self> {
        for output in self.outputs.iter().filter(|output| !is_stream(&output.path)) {
            io::resolve_earlier(&output.path, &self.files)?;
        }
        self.check()?;
        let planned = self.planned();
        self.opened = Some(self.files.list_opened(move |file| planned.will_replace(file)));
        expect_to_read(self.inputs.iter().map(|(_, path)| path), self.files.control())?;
        Ok(self)
    }

    /// All that the outputs will replace, the file behind standard output included.
    fn planned(&self) -> PlannedFiles {
        let mut planned = PlannedFiles::default();
        for output in &self.outputs {
            let own = output.planned();
            planned.files.extend(own.files);
            planned.members_there.extend(own.folders.iter().flat_map(PlannedFolder::members_there));
            planned.folders.extend(own.folders);
            let stream = is_stream(&output.path).then(|| FileIdentity::of_stream(&std::io::stdout()));
            planned.files.extend(stream.flatten());
        }
        planned
    }

    /// Everything that the job reads, as far as it is known beforehand: members of folders and patterns, and the samples of headers, included.
    fn identities_read(&self) -> Vec<FileIdentity> {
        let paths = self.inputs.iter().map(|(_, path)| path).chain(&self.settings);
        let files = paths.flat_map(|path| {
            if is_stream(path) {
                FileIdentity::of_stream(&std::io::stdin()).into_iter().collect()
            } else {
                identities_read(path)
            }
        });
        files.collect()
    }

    /// Refuses files of hidden folders that would replace an input, once their names are known.
    fn check_members(&self) -> Result<()> {
        let inputs: FileSet = self.identities_read().into_iter().collect();
        for file in self.publication.iter().map(Publication::names).collect::<Result<Vec<_>, _>>()?.concat() {
            let own = FileIdentity::of(&file);
            let is_opened = self.opened.as_ref().is_some_and(|opened| opened.holds(&own));
            if is_opened || inputs.contains(&own) {
                return Err(VeloxelError::ReplacesInput { path: file });
            }
        }
        Ok(())
    }

    /// Files that lie in output folders under names that a run of this kind gives, and that this run does not write: parts of an
    /// earlier run with more of them, which pass for parts of this one.
    fn others_of_their_kind(&self) -> Vec<Resolved> {
        let names = self.publication.as_ref().and_then(|publication| publication.names().ok());
        let before = self.published.iter().filter_map(|path| path.canonicalize().ok());
        let own: HashSet<PathBuf> = names.unwrap_or_default().into_iter().chain(before).collect();
        let others = |planned: PlannedFolder| {
            let count = planned.names_there().iter().filter(|path| !own.contains(*path)).count();
            (count > 0).then(|| Resolved::new(planned.folder.path, count, Outcome::Stayed))
        };
        self.outputs.iter().filter_map(Output::planned_folder).filter_map(others).collect()
    }

    /// Refuses formats that cannot hold the grid of the results, once that is known.
    ///
    /// # Errors
    /// [`IoError::Unsupported`].
    pub fn check_grid(&self, grid: &Grid) -> Result<()> {
        self.outputs.iter().try_for_each(|output| output.check(Some(grid), &self.files))
    }

    /// The paths of all files and folders that the job reads, settings included.
    pub(crate) fn read_paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.inputs.iter().map(|(_, path)| path).chain(&self.settings)
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
    /// [`IoError::Write`] or [`VeloxelError::ReplacesInput`]; no output has its name then, and the error carries those that could
    /// not be taken back.
    pub fn finish(mut self) -> Result<Vec<(OutputRole, PathBuf)>> {
        self.check_members()?;
        let stayed = self.others_of_their_kind();
        if let Some(publication) = self.publication.take() {
            publication.publish()?;
        }
        stayed.into_iter().for_each(|files| self.files.pending().tell(files));
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
    /// Itself, and the file beside it that gets its samples; of a folder its members as well.
    fn planned(&self) -> PlannedFiles {
        let files = files(&self.path).iter().map(|file| FileIdentity::of(file)).collect();
        PlannedFiles {
            files,
            folders: self.planned_folder().into_iter().collect(),
            ..PlannedFiles::default()
        }
    }

    /// The folder that this output is, with the names of its members.
    fn planned_folder(&self) -> Option<PlannedFolder> {
        let folder = || PlannedFolder { folder: FileIdentity::of(&self.path), members: self.members.clone() };
        self.is_folder().then(folder)
    }

    fn is_folder(&self) -> bool {
        self.holds == OutputContent::Folder
            || self.holds == OutputContent::Video && !is_stream(&self.path) && self.path.extension().is_none()
    }

    fn check(&self, grid: Option<&Grid>, session: &Files) -> Result<()> {
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
            OutputContent::Samples(kind) => io::check_output(path, kind, grid)?,
            OutputContent::Confidence => {
                check_keeps_samples(path)?;
                io::check_output(path, ContentKind::Image, grid)?;
            }
            OutputContent::Covariance => io::check_covariance_output(path)?,
            OutputContent::Disparity => io::check_disparity_output(path)?,
            OutputContent::Depth => io::check_depth_output(path)?,
            OutputContent::Cloud => io::check_cloud_output(path)?,
            OutputContent::Picture => io::check_rgb_output(path)?,
            OutputContent::Matrix => io::check_npy_output(path)?,
            OutputContent::MatrixTable => io::check_matrix_output(path)?,
            OutputContent::Tracks => check_tracks(path)?,
            OutputContent::FaceLabels => io::check_face_labels_output(path)?,
            OutputContent::Outlines => io::check_contours_output(path)?,
            OutputContent::Points => check_points(path)?,
            OutputContent::Transform => io::check_transform_output(path)?,
            OutputContent::Text | OutputContent::Folder => io::check_folder(path)?,
        }
        Ok(io::check_writable(session.target(path))?)
    }
}

/// Refuses tracks under the name of another kind of file.
fn check_tracks(path: &Path) -> Result<(), IoError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ["csv", "tsv", "txt", "npy"].contains(&extension.as_str()) {
        return io::check_folder(path);
    }
    let known = ".csv, .tsv, .txt, .npy".to_owned();
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "writing a table", known })
}

/// Refuses points under the name of an image, a field or a mesh.
fn check_points(path: &Path) -> Result<(), IoError> {
    let is_array = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    if is_array || Format::from_path(path).is_none() {
        return io::check_folder(path);
    }
    let known = ".csv, .txt, .fcsv, .mrk.json, .npy".to_owned();
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "writing points", known })
}

/// Whether a file lies directly in a folder, which need not be there yet.
fn lies_in(file: &Path, folder: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.is_some_and(|parent| FileIdentity::of(parent).is(&FileIdentity::of(folder)))
}

/// The format of a file, as in reports.
fn format_text(path: &Path) -> String {
    let path = &io::named_file(path);
    let format = || Format::from_path(path).map_or_else(|| "unknown".to_owned(), Format::to_string);
    if path.is_dir() && !io::is_store(path) { "folder".to_owned() } else { format() }
}

/// A file's own name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
