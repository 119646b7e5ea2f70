//! The plan of a job's files: all that it reads and all that it writes, checked before the first byte, written, and taken
//! back if a later one fails.

use super::published::Published;
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Dimension, Grid, Volume, Warnings};
use veloxel_io::{self as io, Format, IoError, Kind, Precision, TempDir, Unfinished};
use veloxel_report::InputReport;

/// What an output holds, which says how it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Samples in the format of the extension.
    Samples(Kind),
    /// Samples in [0, 1], which a format must not change.
    Confidence,
    /// A disparity in the format of the extension.
    Disparity,
    /// `.y4m`, `.gif`, or `-`, a stream; a name without an extension is a folder of pictures.
    Video,
    /// A picture in colours, in the format of the extension.
    Picture,
    /// JSON, a page or points, whatever the extension.
    Text,
    /// Many files, which appear together at the end; the folder may be there already.
    Folder,
}

/// An output, and how far it is.
struct Output {
    role: &'static str,
    path: PathBuf,
    holds: Holds,
    /// The hidden folder in which the files of a folder wait.
    staging: Option<Unfinished<TempDir>>,
    /// None until it is begun.
    published: Option<Published>,
}

/// All files of a job by their roles. Dropped before [`finish`](Self::finish), it takes back what was written.
#[derive(Default)]
pub(crate) struct OutputPlan {
    inputs: Vec<(&'static str, PathBuf)>,
    outputs: Vec<Output>,
}

impl OutputPlan {
    /// Adds files that the job reads.
    pub fn reads<'a>(mut self, role: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(|path| (role, path.clone())));
        self
    }

    /// Adds an output, where one is asked for.
    pub fn writes<'a>(
        mut self,
        role: &'static str,
        path: impl IntoIterator<Item = &'a PathBuf>,
        holds: Holds,
    ) -> Self {
        let output =
            |path: &PathBuf| Output { role, path: path.clone(), holds, staging: None, published: None };
        self.outputs.extend(path.into_iter().map(output));
        self
    }

    /// Refuses, before the work, outputs that could not be written, and those that are an input or another output.
    ///
    /// # Errors
    /// As [`check_output`](io::check_output) and its like; [`VeloxelError::ReplacesInput`]; [`VeloxelError::SameOutput`].
    pub fn check(&self) -> Result<(), VeloxelError> {
        self.outputs.iter().try_for_each(|output| output.check(None))?;
        let inputs: Vec<Identity> = self.inputs.iter().flat_map(|(_, path)| Identity::all(path)).collect();
        let mut taken: Vec<Identity> = Vec::new();
        for Output { path, .. } in &self.outputs {
            let own = Identity::all(path);
            let is_one_of = |others: &[Identity]| others.iter().any(|other| own.iter().any(|o| o.is(other)));
            if is_one_of(&inputs) {
                return Err(VeloxelError::ReplacesInput { path: path.clone() });
            }
            if is_one_of(&taken) {
                return Err(VeloxelError::SameOutput { path: path.clone() });
            }
            taken.extend(own);
        }
        Ok(())
    }

    /// Refuses formats that cannot hold the dimension, once that is known.
    ///
    /// # Errors
    /// [`IoError::Unsupported`].
    pub fn check_dimension(&self, dimension: Dimension) -> Result<(), VeloxelError> {
        self.outputs.iter().try_for_each(|output| output.check(Some(dimension)))
    }

    /// Where to write an output, if it is asked for: its own name, or a hidden folder until the end.
    ///
    /// # Errors
    /// [`IoError::Write`] if the hidden folder cannot be made.
    pub fn path(&mut self, role: &str) -> Result<Option<PathBuf>, VeloxelError> {
        let Some(output) = self.outputs.iter_mut().find(|output| output.role == role) else {
            return Ok(None);
        };
        Ok(Some(output.begin().map_err(IoError::write(&output.path))?))
    }

    /// Writes an output, if it is asked for.
    ///
    /// # Errors
    /// As [`path`](Self::path) and `write`.
    pub fn write<E: Into<VeloxelError>>(
        &mut self,
        role: &str,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), VeloxelError> {
        self.path(role)?.map_or(Ok(()), |path| write(&path).map_err(Into::into))
    }

    /// Gives the files of folders their names; what was written, by its role.
    ///
    /// # Errors
    /// [`IoError::Write`]; everything that was written is taken back then.
    pub fn finish(mut self) -> Result<Vec<(&'static str, PathBuf)>, VeloxelError> {
        for Output { path, staging, published, .. } in &mut self.outputs {
            if let (Some(staging), Some(published)) = (staging, published) {
                published.move_all(staging.path(), path).map_err(IoError::write(path))?;
            }
        }
        let written = self.outputs.into_iter().filter_map(|output| {
            output.published?.stays();
            Some((output.role, output.path))
        });
        Ok(written.collect())
    }

    /// The inputs as reports show them; `grid_of` says on which grid the n-th of them lies.
    pub fn input_reports<'a>(&self, grid_of: impl Fn(usize) -> &'a Grid) -> Vec<InputReport> {
        let report = |(nth, (role, path)): (usize, &(&str, PathBuf))| {
            InputReport::new(role, &path.display().to_string(), &format_text(path), grid_of(nth))
        };
        self.inputs.iter().enumerate().map(report).collect()
    }
}

impl Output {
    fn is_folder(&self) -> bool {
        self.holds == Holds::Folder
            || self.holds == Holds::Video && !is_stream(&self.path) && self.path.extension().is_none()
    }

    fn check(&self, dimension: Option<Dimension>) -> Result<(), VeloxelError> {
        let path = &self.path;
        match self.holds {
            _ if self.is_folder() => {
                io::check_folder(path)?;
                if path.exists() && !path.is_dir() {
                    let error = std::io::Error::other("it exists and is not a folder");
                    return Err(IoError::write(path)(error).into());
                }
                return Ok(());
            }
            Holds::Video if is_stream(path) => return Ok(()),
            Holds::Video => io::check_video_output(path)?,
            Holds::Samples(kind) => io::check_output(path, kind, dimension)?,
            Holds::Confidence => {
                check_keeps_samples(path)?;
                io::check_output(path, Kind::Image, dimension)?;
            }
            Holds::Disparity => io::check_disparity_output(path)?,
            Holds::Picture => io::check_rgb_output(path)?,
            Holds::Text | Holds::Folder => io::check_folder(path)?,
        }
        Ok(io::check_writable(path)?)
    }

    fn begin(&mut self) -> std::io::Result<PathBuf> {
        let is_folder = self.is_folder();
        let published = self.published.get_or_insert_default();
        if is_folder {
            if self.staging.is_none() {
                self.staging = Some(Unfinished::folder(&std::path::absolute(&self.path)?)?);
            }
            return Ok(self.staging.as_ref().map_or_else(PathBuf::new, |folder| folder.path().to_owned()));
        }
        files(&self.path).iter().try_for_each(|file| published.announce(file))?;
        Ok(self.path.clone())
    }
}

/// The files behind a name: itself, and the one that holds its samples where that is another; none of a stream.
fn files(path: &Path) -> Vec<PathBuf> {
    let own = (!is_stream(path)).then(|| path.to_owned());
    own.into_iter().chain(io::data_file(path)).collect()
}

/// Standard input or output.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// One file or folder, there already or not, however its name is written and whatever links lead there.
struct Identity {
    path: PathBuf,
    /// Device and number, where the file is there and the system tells: files with two names.
    file: Option<(u64, u64)>,
}

impl Identity {
    fn all(path: &Path) -> Vec<Self> {
        files(path).iter().map(|file| Self::of(file)).collect()
    }

    fn of(path: &Path) -> Self {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt;
            path.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| (m.dev(), m.ino()))
        };
        #[cfg(not(unix))]
        let file = None;
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path =
            absolute.canonicalize().unwrap_or_else(|_| match (absolute.parent(), absolute.file_name()) {
                (Some(folder), Some(name)) => {
                    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(name)
                }
                _ => absolute,
            });
        Self { path, file }
    }

    fn is(&self, other: &Self) -> bool {
        self.path == other.path || self.file.is_some() && self.file == other.file
    }
}

/// Refuses a confidence where its samples would not stay what they are.
fn check_keeps_samples(path: &Path) -> Result<(), IoError> {
    match Format::from_path(path) {
        Some(format) if format.precision() == Precision::Lossy => Err(IoError::unsupported(
            path,
            format!("a confidence as {format}, which changes samples,"),
            "write .png, .tif, .nii.gz, .mha or .nrrd",
        )),
        _ => Ok(()),
    }
}

/// Writes a confidence: pictures of whole numbers hold [0, 1] as 0 to 255, rounded without a warning, because that is
/// what they are for.
pub(crate) fn write_confidence(
    path: &Path,
    confidence: &Volume<f32>,
    warnings: &mut Warnings,
) -> Result<(), IoError> {
    match Format::from_path(path) {
        Some(format) if format.precision() == Precision::Whole => {
            io::write_image(path, &confidence.map(|&c| (255.0 * c).round()), warnings)
        }
        _ => io::write_image(path, confidence, warnings),
    }
}

/// The format of a file, as in reports.
fn format_text(path: &Path) -> String {
    if path.is_dir() {
        return "folder".to_owned();
    }
    Format::from_path(path).map_or_else(|| "unknown".to_owned(), Format::to_string)
}

/// A file's own name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A plan over files in a folder; outputs have their own names as roles.
    fn plan(folder: &Path, inputs: &[&str], outputs: &[(&'static str, Holds)]) -> OutputPlan {
        let path = |name: &&str| if *name == "-" { PathBuf::from("-") } else { folder.join(name) };
        let plan = OutputPlan::default().reads("input", &inputs.iter().map(path).collect::<Vec<_>>());
        outputs.iter().fold(plan, |plan, (name, holds)| plan.writes(name, [&path(name)], *holds))
    }

    #[test]
    fn no_output_replaces_an_input_or_another_output() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let check = |inputs: &[&str], outputs: &[&'static str]| {
            let outputs: Vec<_> = outputs.iter().map(|name| (*name, Holds::Text)).collect();
            plan(folder.path(), inputs, &outputs).check()
        };
        assert!(check(&["a", "b"], &["c", "d"]).is_ok());
        assert!(matches!(check(&["a"], &["c", "sub/../a"]), Err(VeloxelError::ReplacesInput { .. })));
        assert!(matches!(check(&["a"], &["c", "sub/../c"]), Err(VeloxelError::SameOutput { .. })));
        let same_samples = check(&["b.mhd"], &["b.nhdr"]);
        assert!(matches!(same_samples, Err(VeloxelError::ReplacesInput { .. })), "both have b.raw");
        let into = plan(folder.path(), &["sub"], &[("sub/.", Holds::Folder)]);
        assert!(matches!(into.check(), Err(VeloxelError::ReplacesInput { .. })));
        assert!(plan(folder.path(), &["-"], &[("-", Holds::Video)]).check().is_ok());
        #[cfg(unix)]
        {
            fs::hard_link(folder.path().join("a"), folder.path().join("second name")).unwrap();
            assert!(matches!(check(&["a"], &["second name"]), Err(VeloxelError::ReplacesInput { .. })));
        }
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let flow = Holds::Samples(Kind::Flow);
        let of = |name, holds| plan(folder.path(), &[], &[(name, holds)]);
        assert!(of("a.flo", flow).check().is_ok());
        assert!(of("a.flo", flow).check_dimension(Dimension::Two).is_ok());
        fs::write(folder.path().join("file"), "").unwrap();
        let refused = [
            of("a.flo", flow).check_dimension(Dimension::Three),
            of("a.xyz", flow).check(),
            of("none/a.json", Holds::Text).check(),
            of("", Holds::Text).check(),
            of("c.jpg", Holds::Confidence).check(),
            of("v.png", Holds::Video).check(),
            of("file", Holds::Folder).check(),
            of("none/out", Holds::Folder).check(),
        ];
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Writes to every output of a plan, and to a file of its folder that was there before.
    fn write_all(folder: &Path) -> OutputPlan {
        let outputs =
            [("a", Holds::Text), ("b", Holds::Text), ("out", Holds::Folder), ("new", Holds::Folder)];
        let mut plan = plan(folder, &[], &outputs);
        for role in ["a", "b"] {
            plan.write(role, |path| io::write_text(path, "later")).unwrap();
        }
        for role in ["out", "new"] {
            plan.write(role, |hidden| io::write_text(&hidden.join("c"), "later")).unwrap();
        }
        plan
    }

    #[test]
    fn nothing_stays_of_a_failure_and_everything_of_a_success() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("out")).unwrap();
        for name in ["a", "out/c"] {
            fs::write(path(name), "earlier").unwrap();
        }
        let read = |name: &str| fs::read_to_string(path(name)).unwrap_or_default();
        let all = || ["a", "b", "out/c", "new/c"].map(read);
        let count = || fs::read_dir(folder.path()).unwrap().count();

        drop(write_all(folder.path()));
        assert_eq!((all().join(" "), count()), ("earlier  earlier ".to_owned(), 2));
        // The last folder cannot be made: everything before it is taken back.
        let plan = write_all(folder.path());
        fs::write(path("new"), "").unwrap();
        assert!(plan.finish().is_err());
        fs::remove_file(path("new")).unwrap();
        assert_eq!((all().join(" "), count()), ("earlier  earlier ".to_owned(), 2));

        let written = write_all(folder.path()).finish().unwrap();
        assert_eq!(written.iter().map(|(role, _)| *role).collect::<Vec<_>>(), ["a", "b", "out", "new"]);
        assert_eq!((all(), count()), (["later"; 4].map(str::to_owned), 4));
    }
}
