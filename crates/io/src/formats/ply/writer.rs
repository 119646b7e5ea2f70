//! A mesh with values of its faces.

use crate::error::Result;
use crate::write::painted_mesh::PaintedMesh;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;

pub(super) fn write(target: &Target, painted: &PaintedMesh<'_>) -> Result<()> {
    let mesh = painted.mesh;
    let is_exact = mesh.points().iter().flatten().all(|&c| f64::from(c as f32) == c);
    let kind = if is_exact { "float" } else { "double" };
    let (points, faces) = (mesh.points().len(), mesh.triangles().len());
    whole_file::write(target, |file| {
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\ncomment Veloxel {}\nelement vertex {points}\n\
             property {kind} x\nproperty {kind} y\nproperty {kind} z\nelement face {faces}\n\
             property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\n\
             property uchar blue\nproperty uchar alpha\nproperty float quality\nproperty int segment\n\
             end_header\n",
            env!("CARGO_PKG_VERSION")
        )?;
        for &coordinate in mesh.points().iter().flatten() {
            match is_exact {
                true => file.write_all(&(coordinate as f32).to_le_bytes())?,
                false => file.write_all(&coordinate.to_le_bytes())?,
            }
        }
        for (face, corners) in mesh.triangles().iter().enumerate() {
            file.write_all(&[3])?;
            for &corner in corners {
                file.write_all(&(corner as i32).to_le_bytes())?;
            }
            let [red, green, blue] = painted.rgb[face];
            file.write_all(&[red, green, blue, 255])?;
            file.write_all(&painted.certainty[face].to_le_bytes())?;
            file.write_all(&(painted.segment[face] as i32).to_le_bytes())?;
        }
        Ok(())
    })
}
