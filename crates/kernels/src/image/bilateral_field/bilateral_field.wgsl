// The confidence-weighted bilateral mean of a field. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
override MASKED: u32 = 0u;

@compute @workgroup_size(32, 8)
fn bilateral_field(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let radius = block.radius.xyz;
    let low = max(id, radius) - radius;
    let high = min(id + radius, size.xyz - vec3<u32>(1u, 1u, 1u));
    let here = guide[i];
    var sum = vec3<f32>(0.0, 0.0, 0.0);
    var total = 0.0;
    var certain = 0.0;
    var all = 0.0;
    for (var z = low.z; z <= high.z; z = z + 1u) {
        for (var y = low.y; y <= high.y; y = y + 1u) {
            for (var x = low.x; x <= high.x; x = x + 1u) {
                let k = (z * size.y + y) * size.x + x;
                let off = vec3<f32>(vec3<i32>(i32(x), i32(y), i32(z)) - vec3<i32>(id));
                let apart = off.x * off.x + off.y * off.y + off.z * off.z;
                let unlike = here - guide[k];
                let near = exponential(apart * block.factors.x + unlike * unlike * block.factors.y);
                all = all + near;
                if (!is_nan(field_x[k])) {
                    let c = select(confidence[k], 0.0, confidence[k] < 0.0);
                    let share = near * (c + 0.001);
                    certain = certain + near * c;
                    total = total + share;
                    sum.x = sum.x + share * field_x[k];
                    sum.y = sum.y + share * field_y[k];
                    if (COMPONENTS == 3u) {
                        sum.z = sum.z + share * field_z[k];
                    }
                }
            }
        }
    }
    let support = certain / all;
    let is_unknown = is_nan(field_x[i]);
    var fills = support >= block.factors.z;
    if (MASKED == 1u) {
        fills = fills && weight[i] > 0.0;
    }
    if (!(total > 0.0) || (is_unknown && !fills)) {
        out_x[i] = not_a_number();
        out_y[i] = not_a_number();
        if (COMPONENTS == 3u) {
            out_z[i] = not_a_number();
        }
        out_confidence[i] = 0.0;
        return;
    }
    out_x[i] = sum.x / total;
    out_y[i] = sum.y / total;
    if (COMPONENTS == 3u) {
        out_z[i] = sum.z / total;
    }
    out_confidence[i] = select(confidence[i], block.factors.w * support, is_unknown);
}
