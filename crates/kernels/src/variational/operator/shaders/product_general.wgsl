// rhs ← rhs − A x, and its squared norm.

@compute @workgroup_size(256)
fn subtract_product(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    let count = size.x * size.y * size.z;
    var sum = 0.0;
    let own = own_items(group.x, groups.x, count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let v = vec3<u32>(i % size.x, i / size.x % size.y, i / (size.x * size.y));
        let r = residual_at(v);
        rhs0[i] = r.a;
        rhs1[i] = r.b;
        if (COMPONENTS == 3u) {
            rhs2[i] = r.c;
        }
        sum = sum + r.a * r.a + r.b * r.b + r.c * r.c;
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}
