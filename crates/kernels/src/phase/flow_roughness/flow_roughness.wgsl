// Lowers the confidence where the flow is rough: the contract is in mod.rs. Needs nan.wgsl.

// The squared fourth difference of a plane's five samples from `first` on, `step` apart.
fn fourth2(first: u32, step: u32) -> f32 {
    let near = flow[first + step] + flow[first + 3u * step] - 2.0 * flow[first + 2u * step];
    let far = flow[first] + flow[first + 4u * step] - 2.0 * flow[first + 2u * step];
    let fourth = far - 4.0 * near;
    return fourth * fourth;
}

// What an axis says of the squared error, pixels²: nothing where it is too short (step 0).
fn along(at: u32, count: u32, stride: u32, step: u32, here: u32) -> f32 {
    if (step == 0u) {
        return 0.0;
    }
    let centre = clamp(at, 2u * step, count - 1u - 2u * step);
    let first = here - at * stride + (centre - 2u * step) * stride;
    let square = fourth2(first, step * stride) + fourth2(block.size.x * block.size.y + first, step * stride);
    return select(square * block.share, block.unknown2, is_nan(square));
}

@compute @workgroup_size(32, 4)
fn flow_roughness(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let here = id.y * size.x + id.x;
    let x = along(id.x, size.x, 1u, block.steps.x, here);
    let y = along(id.y, size.y, size.x, block.steps.y, here);
    let sure = confidence[here];
    confidence[here] = sure / (1.0 + (x + y) * sure * block.per_half2);
}
