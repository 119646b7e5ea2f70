#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = veloxel_io::read_mesh_bytes(Path::new("fuzz.vtk"), bytes) {
        let nodes = mesh.points.len();
        assert!(mesh.tetrahedra.iter().flatten().all(|&node| (node as usize) < nodes));
    }
});
