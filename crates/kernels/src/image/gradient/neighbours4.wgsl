// The derivative along x, for packs of four samples; it also reads two samples before and two after the pack.
fn derivative_x(row: u32, x: u32) -> vec4<f32> {
    let here = image[row + x];
    let is_last = x + 1u == block.size.x;
    var after = here.ww;
    if (!is_last) {
        after = image[row + x + 1u].xy;
    }
    let up = vec4<f32>(here.yzw, after.x);
    if (SCHEME == 0u) {
        let steps = up - here;
        return vec4<f32>(steps.xyz, select(steps.w, 0.0, is_last));
    }
    var before = here.xx;
    if (x > 0u) {
        before = image[row + x - 1u].zw;
    }
    let down = vec4<f32>(before.y, here.xyz);
    if (SCHEME == 2u) {
        return (up - down) * 0.5;
    }
    let outer = vec4<f32>(before, here.xy) - vec4<f32>(here.zw, after);
    return (outer + 8.0 * (up - down)) * (1.0 / 12.0);
}
