// Σ w and Σ w x of mapped intensities. The contract is in mod.rs.

@compute @workgroup_size(256)
fn centre_of_mass(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    var sum = vec4<f32>(0.0);
    let own = own_items(group.x, groups.x, size.w);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let v = block.gain * image[i] + block.offset;
        let weight = select(0.0, min(v, 1.0), !is_nan(v) && v > 0.0);
        sum.x = sum.x + weight;
        sum.y = sum.y + weight * (f32(i % size.x) - block.origin.x);
        sum.z = sum.z + weight * (f32(i / size.x % size.y) - block.origin.y);
        sum.w = sum.w + weight * (f32(i / (size.x * size.y)) - block.origin.z);
    }
    let mass = workgroup_sum(sum.x, lane);
    let x = workgroup_sum(sum.y, lane);
    let y = workgroup_sum(sum.z, lane);
    let z = workgroup_sum(sum.w, lane);
    if (lane == 0u) {
        sums[4u * group.x] = mass;
        sums[4u * group.x + 1u] = x;
        sums[4u * group.x + 2u] = y;
        sums[4u * group.x + 3u] = z;
    }
}
