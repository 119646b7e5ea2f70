// Forward-backward check: an estimate against the one from the other image back. The contract is in mod.rs. Needs
// nan.wgsl, corner.wgsl.

// 2: flow; 1: disparity, with both views in one buffer.
override COMPONENTS: u32 = 2u;

// Adds to `sum` the backward estimate at a pixel, weighted (x, y), and the weight (z); nothing where the estimate is
// unknown.
fn back_from(corner: u32, weight: f32, sum: vec3<f32>) -> vec3<f32> {
    let pixels = block.size.x * block.size.y;
    var back = vec2<f32>();
    if (COMPONENTS == 2u) {
        back = vec2<f32>(backward[corner], backward[pixels + corner]);
    } else {
        back = vec2<f32>(backward[pixels + corner], 0.0);
    }
    if (is_nan(back.x)) {
        return sum;
    }
    return vec3<f32>(sum.x + weight * back.x, sum.y + weight * back.y, sum.z + weight);
}

@compute @workgroup_size(32, 4)
fn forward_backward_check(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let pixels = size.x * size.y;
    let here = id.y * size.x + id.x;
    var there = vec2<f32>(forward[here], 0.0);
    if (COMPONENTS == 2u) {
        there.y = forward[pixels + here];
    } else {
        there.x = -there.x;
    }
    var returns = false;
    var square = 0.0;
    if (!is_nan(there.x)) {
        let c = corner_of(id.xy, there, size);
        let w = c.weight;
        let v = vec2<f32>(1.0) - w;
        var sum = vec3<f32>();
        sum = back_from(c.index, v.x * v.y, sum);
        sum = back_from(c.index + c.right, w.x * v.y, sum);
        sum = back_from(c.index + c.down, v.x * w.y, sum);
        sum = back_from(c.index + c.down + c.right, w.x * w.y, sum);
        if (sum.z > 0.0) {
            let rest = there + sum.xy / sum.z;
            square = rest.x * rest.x + rest.y * rest.y;
            returns = square < block.most2;
        }
    }
    out[here] = select(not_a_number(), forward[here], returns);
    if (COMPONENTS == 2u) {
        out[pixels + here] = select(not_a_number(), forward[pixels + here], returns);
    }
    confidence_out[here] = select(0.0, confidence[here] / (1.0 + square), returns);
}
