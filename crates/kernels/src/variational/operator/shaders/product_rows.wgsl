// rhs ← rhs − A x, four voxels at a time, and its squared norm.

override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;

@compute @workgroup_size(WIDTH, HEIGHT, 1)
fn subtract_product(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    var sum = 0.0;
    if (id.x < size.x && id.y < size.y) {
        let i = index_of(id);
        let r = residual_at(id);
        rhs0[i] = r.a;
        rhs1[i] = r.b;
        if (COMPONENTS == 3u) {
            rhs2[i] = r.c;
        }
        sum = squares(r);
    }
    let total = tile_sum(sum, lane);
    if (lane == 0u) {
        sums[(group.z * groups.y + group.y) * groups.x + group.x] = total;
    }
}
