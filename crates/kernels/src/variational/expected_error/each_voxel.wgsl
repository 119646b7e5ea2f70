// The error of every voxel, in the place of its warped image. After expected_error.wgsl.

@compute @workgroup_size(64, 4)
fn expected_error(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < block.error.size.x && id.y < block.error.size.y) {
        warped_to_error[voxel(id)] = expected(id);
    }
}
