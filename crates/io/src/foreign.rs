//! Files that this library does not read and users often have: what they are, and the way to something that is read.

use crate::error::IoError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Films, by extension.
const FILMS: [&str; 10] = ["mp4", "mov", "m4v", "avi", "mkv", "webm", "mpg", "mpeg", "wmv", "flv"];

/// The error for a film or a DICOM file, which says the way; none for anything else.
pub(crate) fn refusal(path: &Path) -> Option<IoError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (what, way) = if FILMS.contains(&extension.as_str()) {
        let name = path.to_string_lossy();
        let is_plain =
            name.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c)) && !name.starts_with('-');
        let name = if is_plain { &name } else { "FILM" };
        let way = format!(
            "pipe it through ffmpeg: `ffmpeg -i {name} -f yuv4mpegpipe - | veloxel engine -`, or save its frames: \
             `ffmpeg -i {name} frames/%05d.png`"
        );
        ("a compressed film", way)
    } else if cfg!(not(feature = "dicom")) && is_dicom(path, &extension) {
        let way = "convert the series with `dcm2niix -z y FOLDER`, or with SimpleITK (ImageSeriesReader, then WriteImage \
                   to .nii.gz)";
        ("DICOM", way.to_owned())
    } else {
        return None;
    };
    Some(IoError::Foreign { what, way, path: path.to_owned() })
}

/// By the usual extensions and names, or by the magic of a DICOM file, which often has no extension at all.
fn is_dicom(path: &Path, extension: &str) -> bool {
    if ["dcm", "dicom", "ima"].contains(&extension) || path.file_name().is_some_and(|name| name == "DICOMDIR")
    {
        return true;
    }
    let mut magic = [0; 4];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| {
            file.seek(SeekFrom::Start(128)).and_then(|_| file.read_exact(&mut magic)).is_ok()
                && &magic == b"DICM"
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_and_dicom_are_told_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, dicom] = ["I0001", "I0002"].map(|name| folder.path().join(name));
        std::fs::write(&plain, [0; 200]).unwrap();
        std::fs::write(&dicom, [&[0; 128][..], b"DICM"].concat()).unwrap();
        let text = |path: &Path| refusal(path).map(|error| error.to_string()).unwrap_or_default();
        assert!(
            text(Path::new("in/film.MP4"))
                .contains("ffmpeg -i in/film.MP4 -f yuv4mpegpipe - | veloxel engine -")
        );
        assert!(text(Path::new("my film.mov")).contains("ffmpeg -i FILM "));
        assert!(
            cfg!(feature = "dicom")
                || text(Path::new("a.dcm")).contains("dcm2niix") && text(&dicom).contains("SimpleITK")
        );
        assert_eq!(text(&plain) + &text(Path::new("a.xyz")), "");
    }
}
