//! The files behind an input: itself, the members of a folder or a pattern, and the samples that headers keep elsewhere.

use crate::format::Format;
use crate::formats::lookup;
use crate::read::context::Context;
use crate::read::frames;
use crate::read::input::named_file;
use crate::read::reading::Reading;
use crate::read::series;
use crate::read::source::Source;
use std::path::{Path, PathBuf};
use veloxel_core::{Control, Stopped, Warnings};

/// All files that reading an input opens, as far as they are there; its file, folder or pattern comes first.
pub fn files_read(name: &Path) -> Vec<PathBuf> {
    let path = &named_file(name);
    let members = if lookup::is_store(path) {
        Ok(Vec::new())
    } else if path.is_dir() {
        frames::files_in(path)
    } else if frames::is_pattern(path) {
        frames::matching(path)
    } else {
        Ok(Vec::new())
    };
    let mut files = vec![path.to_owned()];
    files.extend(members.unwrap_or_default());
    let data: Vec<PathBuf> = files.iter().flat_map(|file| data_files_named_by(file)).collect();
    files.extend(data);
    files
}

/// Bytes of all files that reading these paths opens, as far as they are there: what
/// [`Control::expect_bytes`](veloxel_core::Control::expect_bytes) takes.
///
/// # Errors
/// [`Stopped`].
pub fn bytes_to_read<'a>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
    control: &Control,
) -> Result<u64, Stopped> {
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |m| if m.is_file() { m.len() } else { 0 });
    let of_path = |path: &'a PathBuf| {
        control.check()?;
        let files = files_read(path);
        let path = &files[0];
        // Series of DICOM lie in folders within folders, under any name.
        let is_series = path.is_dir() && !lookup::is_store(path) && files.len() == 1;
        let below = if is_series { series::files_below(path, control)? } else { Vec::new() };
        Ok(files.iter().chain(&below).map(size).sum::<u64>())
    };
    paths.into_iter().map(of_path).sum()
}

/// The files that a header names for its samples.
fn data_files_named_by(header: &Path) -> Vec<PathBuf> {
    let names = || {
        let names_data_files = Format::from_path(header)?.names_data_files?;
        let mut unsaid = Warnings::new();
        let context = Context::new(header, Reading::default(), &mut unsaid);
        Some(names_data_files(&mut Source::open(header, context.files()).ok()?, &context))
    };
    let beside = |name: String| header.with_file_name("").join(name);
    names().unwrap_or_default().into_iter().map(beside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn headers_folders_and_patterns_lead_to_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mhd = "NDims = 2\nDimSize = 1 1\nElementType = MET_UCHAR\nElementDataFile = of a.raw\n";
        fs::write(path("a.mhd"), mhd).unwrap();
        fs::write(path("b.nrrd"), "NRRD0004\ndata file: sub/b.raw\n\n").unwrap();
        fs::write(path("c.mha"), mhd.replace("of a.raw", "LOCAL")).unwrap();
        assert_eq!(files_read(&path("a.mhd")), ["a.mhd", "of a.raw"].map(path));
        fs::write(path("of a.raw"), [0; 7]).unwrap();
        let (header, both) = (mhd.len() as u64, [path("a.mhd"), path("none.png")]);
        assert_eq!(bytes_to_read(&both, &Control::default()), Ok(header + 7));
        fs::remove_file(path("of a.raw")).unwrap();
        assert_eq!(files_read(&path("c.mha")), [path("c.mha")]);
        assert_eq!(files_read(&path("none.mhd")), [path("none.mhd")]);
        let scene = r#"{"buffers":[{"uri":"my%20d.bin"},{"uri":"data:;base64,AA=="},{"uri":"e.bin"}]}"#;
        fs::write(path("d.gltf"), scene).unwrap();
        assert_eq!(files_read(&path("d.gltf")), ["d.gltf", "my d.bin", "e.bin"].map(path));
        fs::remove_file(path("d.gltf")).unwrap();
        let all = ["a.mhd", "b.nrrd", "c.mha", "of a.raw", "sub/b.raw"].map(path);
        assert_eq!(files_read(folder.path())[1..], all);
        assert_eq!(files_read(&path("?.*"))[1..], all);
    }
}
