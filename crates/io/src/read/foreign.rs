//! Files that this library does not read and users often have: what they are, and the way to something that is read.

use crate::error::IoError;
use crate::file_name::{extension, file_name};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The error for a DICOM file in a library that does not read them, which says the way; none for anything else.
pub(crate) fn refusal(path: &Path) -> Option<IoError> {
    let is_dicom = || is_named_dicom(path) || file_name(path) == "DICOMDIR" || begins_as_dicom(path);
    if cfg!(feature = "dicom") || !is_dicom() {
        return None;
    }
    let way = "convert the series with `dcm2niix -z y FOLDER`, or with SimpleITK (ImageSeriesReader, then WriteImage to .nii.gz)";
    Some(IoError::Foreign { what: "DICOM", way: way.to_owned(), path: path.to_owned() })
}

/// The usual extensions of DICOM files.
const DICOM: [&str; 3] = ["dcm", "dicom", "ima"];

/// Whether a file is one of DICOM by its name.
pub(crate) fn is_named_dicom(path: &Path) -> bool {
    DICOM.contains(&extension(path).as_str())
}

/// Whether a file is one of DICOM by its magic; many have no extension at all.
pub(crate) fn begins_as_dicom(path: &Path) -> bool {
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
    fn dicom_is_told_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, dicom] = ["I0001", "I0002"].map(|name| folder.path().join(name));
        std::fs::write(&plain, [0; 200]).unwrap();
        std::fs::write(&dicom, [&[0; 128][..], b"DICM"].concat()).unwrap();
        let text = |path: &Path| refusal(path).map(|error| error.to_string()).unwrap_or_default();
        assert!(
            cfg!(feature = "dicom")
                || text(Path::new("a.dcm")).contains("dcm2niix") && text(&dicom).contains("SimpleITK")
        );
        assert_eq!(text(&plain) + &text(Path::new("a.xyz")), "");
    }
}
