// Matches of a coarser level on this one. The contract is in mod.rs. Needs packed.wgsl.

@compute @workgroup_size(32, 4)
fn finer_matches(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let x = id.x * block.coarser.x / size.x;
    let y = id.y * block.coarser.y / size.y;
    let z = id.z * block.coarser.z / size.z;
    let word = coarser[(z * block.coarser.y + y) * block.coarser.x + x];
    let most = longest();
    let factor = select(vec3<i32>(1), vec3<i32>(2), block.coarser.xyz < size.xyz);
    let vector = clamp(factor * vector_of(word), vec3<i32>(-most), vec3<i32>(most));
    matches[i] = packed(vector, size_of(word));
    // WORST.
    costs[i] = 1u << 20u;
}
