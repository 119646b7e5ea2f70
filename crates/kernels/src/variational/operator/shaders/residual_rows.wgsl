// Kernels that apply the operator, four voxels at a time: norm of the residual, Jacobi sweep.

override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;

alias Out = vec4<f32>;

fn group_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return (group.z * groups.y + group.y) * groups.x + group.x;
}

@compute @workgroup_size(WIDTH, HEIGHT, 1)
fn residual_norm2(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    var sum = 0.0;
    if (id.x < size.x && id.y < size.y) {
        sum = squares(residual_at(id));
    }
    let total = tile_sum(sum, lane);
    if (lane == 0u) {
        sums[group_index(group, groups)] = total;
    }
}

@compute @workgroup_size(WIDTH, HEIGHT, 1)
fn jacobi(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = index_of(id);
    let next = next_at(id);
    out0[i] = next.a;
    out1[i] = next.b;
    if (COMPONENTS == 3u) {
        out2[i] = next.c;
    }
}
