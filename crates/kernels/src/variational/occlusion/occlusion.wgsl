// The probability that a pixel is visible in both images. The contract is in mod.rs.

override COMPONENTS: u32 = 2u;

// 1 / distance between the two neighbours along an axis; beyond the border the voxel itself is the neighbour.
fn per_step(at: u32, count: u32, per_edge: f32) -> f32 {
    return select(per_edge, 0.5 * per_edge, at > 0u && at + 1u < count);
}

@compute @workgroup_size(64, 4)
fn visibility(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let sample = warped[i];
    if (is_nan(sample)) {
        out[i] = block.scales.z;
        return;
    }
    let low = vec2<u32>(select(i, i - 1u, id.x > 0u), select(i, i - size.x, id.y > 0u));
    let high = vec2<u32>(select(i, i + 1u, id.x + 1u < size.x), select(i, i + size.x, id.y + 1u < size.y));
    var divergence = (d_x[high.x] - d_x[low.x]) * per_step(id.x, size.x, block.per_edge.x);
    divergence = divergence + (d_y[high.y] - d_y[low.y]) * per_step(id.y, size.y, block.per_edge.y);
    if (COMPONENTS == 3u) {
        let plane = size.x * size.y;
        let below = select(i, i - plane, id.z > 0u);
        let above = select(i, i + plane, id.z + 1u < size.z);
        divergence = divergence + (d_z[above] - d_z[below]) * per_step(id.z, size.z, block.per_edge.z);
    }
    let closing = select(0.0, divergence, divergence < 0.0);
    let difference = sample - fixed[i];
    out[i] = exponential(-closing * closing * block.scales.x - difference * difference * block.scales.y);
}
