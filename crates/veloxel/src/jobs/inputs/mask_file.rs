//! A mask from a file: everything that is not 0, or some labels of a label image.

use crate::pipelines::prepare::labels::{labels_of, mask_of_labels};
use crate::{Result, VeloxelError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use veloxel_core::{Mask, WarningKind, Warnings};
use veloxel_io::{self as io, Reading};

/// Labels that a message lists.
const LISTED: usize = 20;

/// A file whose voxels lie inside where they are not 0, or where they have one of some labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskFile {
    /// The file.
    pub path: PathBuf,
    /// Empty: everything that is not 0.
    pub labels: BTreeSet<i32>,
}

impl MaskFile {
    /// `mask.nii.gz`, or `labels.nii.gz=2,3`; a file whose own name ends in `=2` is taken as it is.
    ///
    /// # Errors
    /// A sentence, for labels that are not whole numbers.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((path, labels)) = text.rsplit_once('=').filter(|_| !Path::new(text).exists()) else {
            return Ok(PathBuf::from(text).into());
        };
        let labels: Result<_, _> = labels.split(',').map(|label| label.trim().parse()).collect();
        match labels {
            Ok(labels) if !path.is_empty() => Ok(Self { path: path.into(), labels }),
            _ => Err("expected a file, or a label image with labels, such as labels.nii.gz=2,3".to_owned()),
        }
    }

    /// Reads the mask.
    ///
    /// # Errors
    /// As for every image; [`VeloxelError::MaskLabels`] if no voxel has one of the labels.
    pub(crate) fn read(&self, reading: &Reading, warnings: &mut Warnings) -> Result<Mask> {
        let Self { path, labels } = self;
        if labels.is_empty() {
            return Ok(io::read_mask(path, reading, warnings)?);
        }
        let image = io::read_labels(path, reading, warnings)?;
        self.require(&labels_of(&image), warnings)?;
        Ok(mask_of_labels(&image, labels))
    }

    /// Tells of labels that no voxel has, of those that are there.
    ///
    /// # Errors
    /// [`VeloxelError::MaskLabels`] if no voxel has one of the labels.
    pub(crate) fn require(&self, there: &BTreeSet<i32>, warnings: &mut Warnings) -> Result<()> {
        let Self { path, labels } = self;
        let listed = |of: &BTreeSet<i32>| {
            let names: Vec<String> = of.iter().take(LISTED).map(i32::to_string).collect();
            let more = if of.len() > LISTED { ", …" } else { "" };
            format!("{}{more}", names.join(", "))
        };
        let missing: BTreeSet<i32> = labels.difference(there).copied().collect();
        if missing.len() == labels.len() {
            let (wanted, there) = (listed(labels), listed(there));
            return Err(VeloxelError::MaskLabels { path: path.clone(), wanted, there });
        }
        if !missing.is_empty() {
            let message = format!("{}: no voxel has the label {}", path.display(), listed(&missing));
            warnings.push(WarningKind::Content, message);
        }
        Ok(())
    }
}

impl From<PathBuf> for MaskFile {
    fn from(path: PathBuf) -> Self {
        Self { path, labels: BTreeSet::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Grid, Volume};

    #[test]
    fn labels_follow_the_name() {
        let parsed = |text| MaskFile::parse(text).map(|m| (m.path, Vec::from_iter(m.labels)));
        assert_eq!(parsed("a.nii.gz=2,3"), Ok(("a.nii.gz".into(), vec![2, 3])));
        assert_eq!(parsed("a=b/c.png"), Err(parsed("x=").unwrap_err()));
        assert_eq!(parsed("c.png"), Ok(("c.png".into(), vec![])));
        assert!(parsed("=2").is_err() && parsed("a.png=2,").is_err());
    }

    #[test]
    fn labels_that_are_not_there_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.png");
        let labels = Volume::new(Grid::image(4, 1).unwrap(), vec![0, 2, 3, 5]).unwrap();
        io::write_labels(&path, &labels).unwrap();
        let read = |labels: &[i32]| {
            let mut warnings = Warnings::new();
            let file = MaskFile { path: path.clone(), labels: labels.iter().copied().collect() };
            let mask = file.read(&Reading::default(), &mut warnings);
            (mask.map(|mask| mask.data().to_vec()), warnings.iter().count())
        };
        assert!(matches!(read(&[2, 5]), (Ok(mask), 0) if mask == [false, true, false, true]));
        assert!(matches!(read(&[0]), (Ok(mask), 0) if mask == [true, false, false, false]));
        assert!(matches!(read(&[3, 9]), (Ok(mask), 1) if mask == [false, false, true, false]));
        let error = read(&[1, 9]).0.unwrap_err().to_string();
        assert!(error.contains("1, 9") && error.contains("0, 2, 3, 5"), "{error}");
    }
}
