//! The memory that the faces of a mesh take, asked for before any of it is taken.

use crate::pipelines::memory_plan::PROGRAM_BYTES;
use crate::{Result, Session};
use veloxel_core::{SystemMemory, TriangleMesh};
use veloxel_gpu::DeviceKind;
use veloxel_mesh::MeshError;

/// Bytes that a face takes at the fullest moment of a run: itself, its clean copy, its arcs and neighbours, a tree of rays and a
/// tree of parts; measured 1,110 (86,482 faces) and 1,140 (20,088) with the file's text.
const FACE_BYTES: u64 = 1200;

/// Refuses a mesh whose faces take more memory than the session allows, or than there is.
///
/// # Errors
/// [`MeshError::Memory`].
pub(in crate::pipelines) fn check_room(mesh: &TriangleMesh, session: &Session) -> Result<()> {
    let faces = mesh.triangles().len();
    let of_faces = FACE_BYTES.saturating_mul(faces as u64);
    let refused = |needed_bytes: u64, budget_bytes: u64| {
        let ways_out = "take a mesh of fewer faces, or allow more";
        MeshError::Memory { what: format!("a mesh of {faces} faces"), needed_bytes, budget_bytes, ways_out }
    };
    // Of a GPU the limit is that of its own memory, which meshes do not take.
    let allowed = session
        .max_memory_bytes()
        .filter(|_| session.device().is_ok_and(|device| matches!(device.kind(), DeviceKind::Cpu(_))));
    let of_process = of_faces.saturating_add(PROGRAM_BYTES);
    if let Some(budget_bytes) = allowed.filter(|&bytes| bytes < of_process) {
        return Err(refused(of_process, budget_bytes).into());
    }
    match SystemMemory::now() {
        Some(memory) if memory.available_bytes < of_faces => {
            Err(refused(of_faces, memory.available_bytes).into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VeloxelError;
    use crate::pipelines::segment::{SegmentRequest, segment};
    use veloxel_gpu::Device;

    #[test]
    fn a_mesh_beyond_the_limit_is_refused_before_it_is_worked_on() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].to_vec();
        let mesh = TriangleMesh::new(points, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].to_vec()).unwrap();
        let found = |bytes: u64| {
            let session = Session::on(Device::cpu(1).unwrap()).with_max_memory(Some(bytes));
            segment(&SegmentRequest::new(&mesh), &session)
        };
        let least = PROGRAM_BYTES + 4 * FACE_BYTES;
        let refused = found(least - 1).unwrap_err();
        let VeloxelError::Mesh(MeshError::Memory { what, needed_bytes, budget_bytes, .. }) = refused else {
            panic!("{refused}")
        };
        assert_eq!((what.as_str(), needed_bytes, budget_bytes), ("a mesh of 4 faces", least, least - 1));
        assert_eq!(found(least).unwrap().labels.len(), 4);
    }
}
