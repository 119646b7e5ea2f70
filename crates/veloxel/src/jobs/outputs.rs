//! The files of a run: refused before the work, or written after it.

use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Dimension, Volume, Warnings};
use veloxel_io::{Format, IoError, Kind, Precision};

/// Checks every output that is asked for: its extension (pages, points and JSON have no kind), that it can hold the
/// dimension once that is known, and that its folder takes files. Nothing is left there.
pub(crate) fn check_outputs(
    outputs: &[(Option<&Path>, Option<Kind>)],
    dimension: Option<Dimension>,
) -> Result<(), VeloxelError> {
    let asked_for = outputs.iter().filter_map(|&(path, kind)| path.map(|path| (path, kind)));
    for (path, kind) in asked_for {
        check_output(path, kind, dimension)?;
    }
    Ok(())
}

fn check_output(path: &Path, kind: Option<Kind>, dimension: Option<Dimension>) -> Result<(), VeloxelError> {
    match kind {
        Some(kind) => veloxel_io::check_output(path, kind, dimension)?,
        None => veloxel_io::check_folder(path)?,
    }
    Ok(veloxel_io::check_writable(path)?)
}

/// Refuses a confidence where its samples would not stay what they are.
pub(crate) fn check_confidence_output(path: &Path) -> Result<(), VeloxelError> {
    match Format::from_path(path) {
        Some(format) if format.precision() == Precision::Lossy => Err(IoError::unsupported(
            path,
            format!("a confidence as {format}, which changes samples,"),
            "write .png, .tif, .nii.gz, .mha or .nrrd",
        )
        .into()),
        _ => Ok(()),
    }
}

/// Refuses an output that would replace what it is made from, or another output; `-` is a stream and no file.
pub(crate) fn check_distinct<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = Option<&'a Path>>,
) -> Result<(), VeloxelError> {
    let is_file = |path: &&Path| *path != Path::new("-");
    let inputs: Vec<PathBuf> = inputs.into_iter().filter(is_file).map(place).collect();
    let mut taken = Vec::new();
    for path in outputs.into_iter().flatten().filter(is_file) {
        let own = place(path);
        if inputs.contains(&own) {
            return Err(VeloxelError::ReplacesInput { path: path.to_owned() });
        }
        if taken.contains(&own) {
            return Err(VeloxelError::SameOutput { path: path.to_owned() });
        }
        taken.push(own);
    }
    Ok(())
}

/// One name for a file or folder, there already or not, however it is written and whatever links lead there.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.canonicalize().unwrap_or_else(|_| match (absolute.parent(), absolute.file_name()) {
        (Some(folder), Some(name)) => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(name),
        _ => absolute,
    })
}

/// Writes a confidence: pictures of whole numbers hold [0, 1] as 0 to 255, rounded without a word, because that is what
/// they are for.
pub(crate) fn write_confidence(
    path: &Path,
    confidence: &Volume<f32>,
    warnings: &mut Warnings,
) -> Result<(), VeloxelError> {
    check_confidence_output(path)?;
    match Format::from_path(path) {
        Some(format) if format.precision() == Precision::Whole => {
            let shown = confidence.map(|&c| (255.0 * c).round());
            veloxel_io::write_image(path, &shown, warnings)?;
        }
        _ => veloxel_io::write_image(path, confidence, warnings)?,
    }
    Ok(())
}

/// The format of a file, as in reports.
pub(crate) fn format_text(path: &Path) -> String {
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

    #[test]
    fn no_output_replaces_an_input_or_another_output() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let check = |inputs: &[&str], outputs: &[&str]| {
            let (inputs, outputs): (Vec<_>, Vec<_>) =
                (inputs.iter().map(|n| path(n)).collect(), outputs.iter().map(|n| path(n)).collect());
            check_distinct(inputs.iter().map(PathBuf::as_path), outputs.iter().map(|p| Some(p.as_path())))
        };
        std::fs::create_dir(path("sub")).unwrap();
        std::fs::write(path("a"), "").unwrap();
        assert!(check(&["a", "b"], &["c", "d"]).is_ok());
        assert!(matches!(check(&["a"], &["c", "sub/../a"]), Err(VeloxelError::ReplacesInput { .. })));
        assert!(matches!(check(&["sub"], &["sub/."]), Err(VeloxelError::ReplacesInput { .. })));
        assert!(matches!(check(&["a"], &["c", "sub/../c"]), Err(VeloxelError::SameOutput { .. })));
        let stream = Path::new("-");
        assert!(check_distinct([stream], [Some(stream), None]).is_ok());
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, kind, dimension| check_output(&folder.path().join(name), kind, dimension);
        assert!(check("a.flo", Some(Kind::Flow), None).is_ok());
        assert!(check("a.flo", Some(Kind::Flow), Some(Dimension::Two)).is_ok());
        let refused = [
            check("a.flo", Some(Kind::Flow), Some(Dimension::Three)),
            check("a.xyz", Some(Kind::Flow), None),
            check("none/a.json", None, None),
            check("", None, None),
        ];
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
