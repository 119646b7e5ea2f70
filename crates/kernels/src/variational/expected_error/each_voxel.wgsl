// The error of every voxel, in the place of its warped image. After expected_error.wgsl.

struct Block {
    size: vec4<u32>,
    // Voxels from sample to sample of a fourth difference, per axis; 0: none.
    steps: vec4<u32>,
    // Of the squared differences; α'; α' over the number of components; of tt.
    factors: vec4<f32>,
    // e² outside.
    outside2: f32,
}

@compute @workgroup_size(64, 4)
fn expected_error(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < block.size.x && id.y < block.size.y) {
        warped_to_error[voxel(id)] = expected(id);
    }
}
