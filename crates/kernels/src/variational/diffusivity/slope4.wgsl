// The image's derivative along x without its factor, for packs of four samples.
fn derivative_x(row: u32, x: u32) -> vec4<f32> {
    let here = image[row + x];
    var before = here.xx;
    var after = here.ww;
    if (x > 0u) {
        before = image[row + x - 1u].zw;
    }
    if (x + 1u < block.size.x) {
        after = image[row + x + 1u].xy;
    }
    let outer = vec4<f32>(before, here.xy) - vec4<f32>(here.zw, after);
    return outer + 8.0 * (vec4<f32>(here.yzw, after.x) - vec4<f32>(before.y, here.xyz));
}

fn exponentials(x: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(exponential(x.x), exponential(x.y), exponential(x.z), exponential(x.w));
}
