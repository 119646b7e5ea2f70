//! Points in space with colours, as PLY: `x y z` (32-bit floats, metres), `red green blue`, `confidence`.
//!
//! *Specification*: G. Turk, "The PLY Polygon File Format", 1994; names of properties as CloudCompare, MeshLab and Open3D read them.

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::write::check_folder;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use std::path::Path;

/// A point with its colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CloudPoint {
    /// Its place, metres.
    pub at_m: [f32; 3],
    /// Red, green, blue.
    pub rgb: [u8; 3],
    /// How sure it is, 0 to 1.
    pub confidence: f32,
}

/// Checks, before any work is done for it, that [`write_cloud`] knows the extension.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::NoFolder`].
pub fn check_cloud_output(path: &Path) -> Result<()> {
    match &*extension(path) {
        "ply" => check_folder(path),
        _ => {
            let (what, known) = ("writing a point cloud", ".ply".to_owned());
            Err(IoError::UnknownExtension { path: path.to_owned(), what, known })
        }
    }
}

/// Writes points as binary PLY; `frame` says in a comment of the file whose axes they have.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::DiskFull`], [`IoError::Write`]. Nothing is left behind then.
pub fn write_cloud(target: impl Into<Target>, frame: &str, points: &[CloudPoint]) -> Result<()> {
    let target = target.into();
    check_cloud_output(target.path())?;
    whole_file::write(&target, |file| {
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\ncomment Veloxel {}\ncomment metres, {frame}\nelement vertex {}\n\
             property float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\n\
             property uchar blue\nproperty float confidence\nend_header\n",
            env!("CARGO_PKG_VERSION"),
            points.len()
        )?;
        for point in points {
            for coordinate in point.at_m {
                file.write_all(&coordinate.to_le_bytes())?;
            }
            file.write_all(&point.rgb)?;
            file.write_all(&point.confidence.to_le_bytes())?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_nineteen_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ply");
        let point = CloudPoint { at_m: [1.0, -2.0, 3.5], rgb: [9, 8, 7], confidence: 0.5 };
        write_cloud(path.as_path(), "left camera", &[point; 3]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let head = String::from_utf8_lossy(&bytes);
        assert!(head.contains("element vertex 3\n") && head.contains("comment metres, left camera\n"));
        let last = &bytes[bytes.len() - 19..];
        assert_eq!(f32::from_le_bytes(last[8..12].try_into().unwrap()), 3.5);
        assert_eq!(last[12..15], [9, 8, 7]);
        assert!(check_cloud_output(Path::new("a.pcd")).unwrap_err().to_string().contains(".ply"));
    }
}
