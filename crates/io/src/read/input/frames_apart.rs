//! The frames of a sequence under names of their own, each of which is read without the others.

use crate::error::{IoError, Result};
use crate::film::is_live;
use crate::format::Reader;
use crate::formats::lookup::{has_grid, require_to_read};
use crate::read::input::Input;
use crate::read::inspect::inspect;
use crate::read::reading::Reading;
use crate::read::series::holds_dicom;
use std::path::{Path, PathBuf};

/// The names of the frames that inputs hold, in order of time, each of which is read without the others: files of a folder, of a
/// pattern or of a list, and frames of a file with a time axis (`cine.ome.zarr@5`). Headers alone are read.
///
/// # Errors
/// As [`inspect`]; [`IoError::Unsupported`] where frames are found by reading all of them: videos, cameras, DICOM, and files that are
/// decoded as a whole.
pub fn frames_apart(inputs: &[PathBuf], reading: impl Into<Reading>) -> Result<Vec<PathBuf>> {
    let reading = reading.into();
    match inputs {
        [one] => apart(one, &reading),
        many => {
            let mut names = Vec::new();
            for name in many {
                match Input::of(name).frames {
                    Some(_) => names.extend(apart(name, &reading)?),
                    None => names.push(name.clone()),
                }
            }
            Ok(names)
        }
    }
}

fn apart(name: &Path, reading: &Reading) -> Result<Vec<PathBuf>> {
    let input = Input::of(name);
    if is_live(&input.path) || holds_dicom(&input.path, reading.files.control())? {
        return Err(together(name));
    }
    if let Some(files) = input.files(reading)? {
        return Ok(files);
    }
    let format = require_to_read(&input.path, "frames", has_grid)?;
    if matches!(format.reader, Reader::Frames(_)) {
        return Err(together(name));
    }
    let whole = Input { frames: None, ..input.clone() };
    let count = inspect(&whole.name(), reading)?.frames;
    input.require(count)?;
    let numbers = input.frames.unwrap_or_default().of(count);
    match format.reader {
        _ if count == 1 => Ok(vec![whole.name()]),
        Reader::Whole(_) => Err(together(name)),
        _ => Ok(numbers.into_iter().map(|number| below(whole.name(), &number.to_string())).collect()),
    }
}

fn together(name: &Path) -> IoError {
    let hint = "convert them to .ome.zarr, or to .nii, .mha or .nrrd without compression";
    IoError::unsupported(name, "reading its frames one by one", hint)
}

/// A name with what is asked for behind it.
fn below(name: PathBuf, asked: &str) -> PathBuf {
    let mut name = name.into_os_string();
    name.push(format!("@{asked}"));
    name.into()
}

impl Input {
    /// The name of all of it, without a choice of frames.
    fn name(&self) -> PathBuf {
        let mut name = self.path.clone();
        if let Some(series) = &self.series {
            name = below(name, &format!("series:{series}"));
        }
        if let Some(part) = &self.part {
            name = below(name, &format!("part:{part}"));
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, read_image, write_image, write_sequence};
    use veloxel_core::{Grid, Sequence, Volume, Warnings};

    fn frame(t: usize) -> Volume<f32> {
        Volume::from_fn(Grid::volume(20, 12, 8).unwrap(), move |[x, y, z]| (t * 100 + x + y * z) as f32)
    }

    fn names(folder: &Path, inputs: &[&str]) -> Result<Vec<String>> {
        let inputs: Vec<PathBuf> = inputs.iter().map(|name| folder.join(name)).collect();
        let names = frames_apart(&inputs, Strictness::Strict)?;
        let within = |name: &PathBuf| name.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        Ok(names.iter().map(within).collect())
    }

    #[test]
    fn every_frame_has_a_name_that_reads_it_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let cine = Sequence::new((0..5).map(frame).collect(), None).unwrap();
        let mut files = vec!["c.nii", "c.nrrd", "c.nii.gz"];
        files.extend(cfg!(feature = "zarr").then_some("c.ome.zarr"));
        for file in files {
            write_sequence(place.join(file).as_path(), &cine).unwrap();
            let found = names(place, &[file]).unwrap();
            assert_eq!(found, (0..5).map(|t| format!("{file}@{t}")).collect::<Vec<_>>());
            let read =
                |name: &str| read_image(&place.join(name), Strictness::Strict, &mut Warnings::new()).unwrap();
            assert!(read(&found[3]).data() == frame(3).data(), "{file}");
            let some = names(place, &[&format!("{file}@1:5:3")]).unwrap();
            assert_eq!(some, [1, 4].map(|t| format!("{file}@{t}")));
            assert!(names(place, &[&format!("{file}@5")]).is_err(), "{file}");
        }
        for t in [2, 10] {
            write_image(place.join(format!("f{t}.mha")).as_path(), &frame(t), &mut Warnings::new()).unwrap();
        }
        assert_eq!(names(place, &["f*.mha"]).unwrap(), ["f2.mha", "f10.mha"]);
        assert_eq!(names(place, &["f10.mha", "c.nii@3:"]).unwrap(), ["f10.mha", "c.nii@3", "c.nii@4"]);
        assert_eq!(names(place, &["f2.mha"]).unwrap(), ["f2.mha"]);
    }

    #[test]
    fn frames_that_are_found_by_reading_all_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let picture = |t: usize| Volume::from_fn(Grid::image(8, 8).unwrap(), move |[x, ..]| (t + x) as f32);
        let film = Sequence::new((0..3).map(picture).collect(), None).unwrap();
        for file in ["film.gif", "film.tif"] {
            let path = folder.path().join(file);
            if write_sequence(path.as_path(), &film).is_ok() {
                let refused = names(folder.path(), &[file]).unwrap_err().to_string();
                assert!(refused.contains("reading its frames one by one"), "{refused}");
            }
        }
        let refused = frames_apart(&["rtsp://host/cam".into()], Strictness::Strict).unwrap_err();
        assert!(refused.to_string().contains("one by one"), "{refused}");
    }

    /// No chunk of another frame is read: they are not there.
    #[cfg(feature = "zarr")]
    #[test]
    fn a_frame_of_a_store_is_read_without_the_chunks_of_others() {
        use crate::{GridBox, PartialImage};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.ome.zarr");
        write_sequence(path.as_path(), &Sequence::new((0..5).map(frame).collect(), None).unwrap()).unwrap();
        for t in [0, 1, 2, 4] {
            std::fs::remove_dir_all(path.join(format!("0/c/{t}"))).unwrap();
        }
        let name = &frames_apart(&[path], Strictness::Strict).unwrap()[3];
        let mut warnings = Warnings::new();
        let whole = read_image(name, Strictness::Strict, &mut warnings).unwrap();
        assert!(whole.data() == frame(3).data());
        let part = GridBox { begin: [3, 2, 1], size: [9, 8, 5] };
        let image = PartialImage::open(name, Strictness::Strict, &mut warnings).unwrap();
        assert_eq!(
            image.part(part, &mut warnings).unwrap(),
            part.of(frame(3).data(), frame(3).grid().size())
        );
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}
