// By how much one field explains the image better than another. The contract is in mod.rs. Needs nan.wgsl, lattice.wgsl,
// inside.wgsl.

fn bits(seen: u32, i: u32) -> f32 {
    return f32(min(countOneBits(fixed_codes[i] ^ seen), block.most_bits));
}

@compute @workgroup_size(32, 4)
fn contrast(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let inside = leads_inside(id, first_at(i), size) && leads_inside(id, second_at(i), size);
    let more = bits(second_codes[i], i) - bits(first_codes[i], i);
    out[i] = select(0.0, more, inside);
}
