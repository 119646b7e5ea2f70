//! The format of the many fields that a run writes into its folder.

use crate::Result;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use veloxel_core::{Dimension, Grid};
use veloxel_io::{self as io, ContentKind, Format};

/// A format of fields, by the extension of its files: `nii.gz`, `mha`, `flo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFormat {
    /// In lower case, without a dot before it.
    extension: String,
}

impl FieldFormat {
    /// The extension of the files: as it is asked for, or `flo` for pictures and `nii.gz` for volumes.
    pub(crate) fn extension<'a>(asked: Option<&'a Self>, grid: &Grid) -> &'a str {
        match (asked, grid.dimension()) {
            (Some(format), _) => &format.extension,
            (None, Dimension::Two) => "flo",
            (None, Dimension::Three) => "nii.gz",
        }
    }

    /// Refuses, before the work, a format that cannot hold fields on a grid.
    ///
    /// # Errors
    /// [`IoError::Unsupported`](veloxel_io::IoError::Unsupported).
    pub(crate) fn check(asked: Option<&Self>, grid: &Grid) -> Result<()> {
        let name = format!("field.{}", Self::extension(asked, grid));
        Ok(io::check_output(Path::new(&name), ContentKind::Flow, Some(grid))?)
    }
}

impl FromStr for FieldFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let extension = text.strip_prefix('.').unwrap_or(text).to_lowercase();
        let writes = |format: &&&Format| format.writes(ContentKind::Flow);
        let known: Vec<&str> =
            Format::all().iter().filter(writes).flat_map(|format| format.extensions()).copied().collect();
        // OME-Zarr is called `.ome.zarr` as well.
        let own = extension.strip_prefix("ome.").filter(|own| own.starts_with("zarr"));
        if known.contains(&own.unwrap_or(&extension)) {
            return Ok(Self { extension });
        }
        Err(format!("expected the extension of a format of fields: {}", known.join(", ")))
    }
}

/// Its extension.
impl fmt::Display for FieldFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_the_extension_of_one_that_holds_fields() {
        let format: FieldFormat = ".NII.gz".parse().unwrap();
        assert_eq!(format.to_string(), "nii.gz");
        #[cfg(feature = "zarr")]
        assert_eq!(".OME.Zarr".parse::<FieldFormat>().unwrap().to_string(), "ome.zarr");
        for wrong in ["", "jpg", "gz", "nii.gz.gz", "ome.nii"] {
            assert!(wrong.parse::<FieldFormat>().unwrap_err().contains("nii.gz"), "{wrong}");
        }
        let (flo, volume) = ("flo".parse().unwrap(), Grid::volume(3, 3, 3).unwrap());
        assert!(FieldFormat::check(Some(&flo), &volume).is_err());
        assert!(FieldFormat::check(None, &volume).is_ok());
        assert_eq!(FieldFormat::extension(None, &Grid::image(3, 3).unwrap()), "flo");
    }
}
