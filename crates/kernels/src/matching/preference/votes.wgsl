// Which voxels vote, and which of them for the first field. The contract is in mod.rs. Needs nan.wgsl, lattice.wgsl,
// inside.wgsl.

@compute @workgroup_size(32, 4)
fn votes(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let one = first_at(i);
    let other = second_at(i);
    let between = one - other;
    var distance2 = between.x * between.x;
    distance2 = distance2 + between.y * between.y;
    if (COMPONENTS == 3u) {
        distance2 = distance2 + between.z * between.z;
    }
    let inside = leads_inside(id, one, size) && leads_inside(id, other, size);
    let does_vote = inside && distance2 > block.apart && abs(contrast[i]) > block.margin;
    all_votes[i] = select(0.0, 1.0, does_vote);
    for_first[i] = select(0.0, 1.0, does_vote && contrast[i] > 0.0);
}
