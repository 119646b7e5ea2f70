//! Pairs of a folder as the Brain Imaging Data Structure (<https://bids.neuroimaging.io>) lays it out.

use super::error::BatchError;
use crate::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use veloxel_io::{self as io, ContentKind, FieldValue, Record};

/// Extensions of images.
const IMAGES: [&str; 2] = [".nii.gz", ".nii"];
/// The suffix of images with a time axis that shows a beating heart.
const CINE: &str = "cine";
/// The folder of anatomical images.
const ANATOMY: &str = "anat";

/// A row for each pair of a BIDS folder. Anatomical images (`anat/`) of one subject that differ in session and run alone are
/// registered to the first of them: the first is FIXED. Cines (`…_cine`) get the fields from their first frame to every other.
/// Results are named as derivatives: `sub-01/ses-2/anat/sub-01_ses-2_from-ses2T1w_to-ses1T1w_mode-image_xfm.nii.gz` pulls images
/// from MOVING's space into FIXED's. Derivatives in the folder are left alone.
///
/// # Errors
/// [`BatchError::NoPairs`] without a subject, or without a pair; a folder that cannot be read.
pub fn bids_records(folder: &Path) -> Result<Vec<Record>> {
    let mut images = Vec::new();
    for subject in folders(folder, "sub-")? {
        let sessions = folders(&subject, "ses-")?;
        let roots = if sessions.is_empty() { vec![subject] } else { sessions };
        for root in roots {
            for modality in folders(&root, "")? {
                let named = |path: PathBuf| BidsImage::of(&path, folder);
                images.extend(io::list_folder(&modality, ContentKind::Image)?.into_iter().filter_map(named));
            }
        }
    }
    let no_pairs = |reason| BatchError::NoPairs { path: folder.to_owned(), reason };
    if images.is_empty() {
        return Err(no_pairs("there is no image such as sub-01/anat/sub-01_T1w.nii.gz").into());
    }
    let records: Vec<Record> =
        anatomical(&images).into_iter().chain(images.iter().filter_map(cine)).collect();
    if records.is_empty() {
        let reason = "no subject has two anatomical images of one kind, nor a cine";
        return Err(no_pairs(reason).into());
    }
    Ok(records)
}

/// An image with what its name says.
#[derive(Debug, Clone)]
struct BidsImage {
    path: PathBuf,
    /// Its folder, from the data set's.
    place: PathBuf,
    /// `sub`, `ses`, `acq`, … with their values, in the order of the name.
    entities: Vec<(String, String)>,
    /// `T1w`, `cine`, ….
    suffix: String,
}

impl BidsImage {
    fn of(path: &Path, root: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let stem = IMAGES.iter().find_map(|extension| name.strip_suffix(extension))?;
        let mut words: Vec<&str> = stem.split('_').collect();
        let suffix = words.pop().filter(|suffix| !suffix.contains('-'))?.to_owned();
        let entity = |word: &str| word.split_once('-').map(|(key, value)| (key.to_owned(), value.to_owned()));
        let entities: Option<Vec<_>> = words.into_iter().map(entity).collect();
        let place = path.parent()?.strip_prefix(root).ok()?.to_owned();
        Some(Self { path: path.to_owned(), place, entities: entities?, suffix })
    }

    fn entity(&self, key: &str) -> Option<&str> {
        self.entities.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// What images of one pair share: everything but session and run.
    fn kind(&self) -> String {
        let shared = self.entities.iter().filter(|(key, _)| key != "ses" && key != "run");
        let shared: Vec<String> = shared.map(|(key, value)| format!("{key}-{value}")).collect();
        format!("{}_{}", shared.join("_"), self.suffix)
    }

    /// The space of the image, as derivatives name it: `ses2run1T1w`.
    fn space(&self) -> String {
        let part = |key: &str| self.entity(key).map(|value| format!("{key}{value}")).unwrap_or_default();
        let label = part("ses") + &part("run") + &self.suffix;
        label.chars().filter(char::is_ascii_alphanumeric).collect()
    }

    /// The name of a derivative from one space to another, beside this image.
    fn derivative(&self, from: &str, to: &str) -> String {
        let words: Vec<String> = self.entities.iter().map(|(key, value)| format!("{key}-{value}")).collect();
        let name = format!("{}_from-{from}_to-{to}_mode-image_xfm", words.join("_"));
        self.place.join(name).display().to_string()
    }

    fn is_anatomical(&self) -> bool {
        self.place.file_name().is_some_and(|name| name == ANATOMY) && self.suffix != CINE
    }
}

/// Rows of anatomical images, every later one on the first of its kind.
fn anatomical(images: &[BidsImage]) -> Vec<Record> {
    let mut kinds = BTreeMap::<String, Vec<&BidsImage>>::new();
    for image in images.iter().filter(|image| image.is_anatomical()) {
        kinds.entry(image.kind()).or_default().push(image);
    }
    let pairs = kinds.into_values().flat_map(|alike| {
        let fixed = alike[0];
        alike.into_iter().skip(1).map(move |moving| (fixed, moving))
    });
    let row = |(fixed, moving): (&BidsImage, &BidsImage)| {
        let output = moving.derivative(&moving.space(), &fixed.space()) + ".nii.gz";
        record(&[
            ("command", "register".to_owned()),
            ("fixed", fixed.path.display().to_string()),
            ("moving", moving.path.display().to_string()),
            ("output", output),
        ])
    };
    pairs.map(row).collect()
}

/// The row of a cine: the fields from its first frame to every other, in a folder.
fn cine(image: &BidsImage) -> Option<Record> {
    let is_cine = image.suffix == CINE;
    is_cine.then(|| {
        record(&[
            ("command", "flow".to_owned()),
            ("inputs", image.path.display().to_string()),
            ("sequence", "reference".to_owned()),
            ("output", image.derivative(CINE, "frame0")),
        ])
    })
}

fn record(fields: &[(&str, String)]) -> Record {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), FieldValue::Text(value.clone())));
    Record { line: 0, fields: fields.collect() }
}

/// The folders of a folder whose names begin so, in the order of their names.
fn folders(folder: &Path, begin: &str) -> Result<Vec<PathBuf>> {
    let failed = |source| io::IoError::Read { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin));
        if is_named && path.is_dir() {
            found.push(path);
        }
    }
    found.sort_by_cached_key(|path| in_order(&path.to_string_lossy()));
    Ok(found)
}

/// A name so that `ses-10` comes after `ses-9`.
fn in_order(name: &str) -> (String, u64, String) {
    let begin = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (begin.to_owned(), name[begin.len()..].parse().unwrap_or(0), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(files: &[&str]) -> Result<Vec<Vec<String>>> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = format!("{}/", folder.path().display());
        let text = |(name, value): &(String, FieldValue)| match value {
            FieldValue::Text(text) => format!("{name}={}", text.replace(&root, "")),
            other => panic!("{other:?}"),
        };
        let records = bids_records(folder.path())?;
        Ok(records.iter().map(|record| record.fields.iter().map(text).collect()).collect())
    }

    #[test]
    fn later_images_of_a_subject_are_registered_to_the_first_of_their_kind() {
        let found = rows(&[
            "dataset_description.json",
            "derivatives/other/sub-01/anat/sub-01_T1w.nii.gz",
            "sub-01/ses-b/anat/sub-01_ses-b_T1w.nii.gz",
            "sub-01/ses-b/anat/sub-01_ses-b_T1w.json",
            "sub-01/ses-a/anat/sub-01_ses-a_T1w.nii.gz",
            "sub-01/ses-a/anat/sub-01_ses-a_T2w.nii.gz",
            "sub-01/ses-a/func/sub-01_ses-a_task-rest_bold.nii.gz",
            "sub-02/anat/sub-02_acq-x_run-1_T1w.nii",
            "sub-02/anat/sub-02_acq-x_run-2_T1w.nii",
            "sub-02/anat/sub-02_acq-y_run-3_T1w.nii",
            "sub-02/heart/sub-02_cine.nii.gz",
        ]);
        let expected = [
            [
                "command=register",
                "fixed=sub-01/ses-a/anat/sub-01_ses-a_T1w.nii.gz",
                "moving=sub-01/ses-b/anat/sub-01_ses-b_T1w.nii.gz",
                "output=sub-01/ses-b/anat/sub-01_ses-b_from-sesbT1w_to-sesaT1w_mode-image_xfm.nii.gz",
            ],
            [
                "command=register",
                "fixed=sub-02/anat/sub-02_acq-x_run-1_T1w.nii",
                "moving=sub-02/anat/sub-02_acq-x_run-2_T1w.nii",
                "output=sub-02/anat/sub-02_acq-x_run-2_from-run2T1w_to-run1T1w_mode-image_xfm.nii.gz",
            ],
            [
                "command=flow",
                "inputs=sub-02/heart/sub-02_cine.nii.gz",
                "sequence=reference",
                "output=sub-02/heart/sub-02_from-cine_to-frame0_mode-image_xfm",
            ],
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn a_folder_without_pairs_is_refused() {
        for files in [&["a.nii"][..], &["sub-01/anat/sub-01_T1w.nii"]] {
            assert!(
                rows(files).unwrap_err().to_string().contains("there is no image such as")
                    || files.len() == 1
            );
        }
    }
}
