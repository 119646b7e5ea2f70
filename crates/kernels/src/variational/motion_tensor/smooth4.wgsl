// Packs of four samples: the row length is a multiple of four.

// The two packs before and the two after. Beyond the border, the border's sample.
struct Neighbours {
    far_before: vec4<f32>,
    before: vec4<f32>,
    after: vec4<f32>,
    far_after: vec4<f32>,
}

// The neighbours along x of pack `i`, which is pack `x` of its row.
fn neighbours(channel: u32, i: u32, x: u32, here: vec4<f32>) -> Neighbours {
    var found: Neighbours;
    if (RADIUS_X > 0u) {
        let last = block.size.x / 4u - 1u;
        let before = load(channel, i - min(x, 1u));
        let after = load(channel, i + min(last - x, 1u));
        found.before = select(before, here.xxxx, x == 0u);
        found.after = select(after, here.wwww, x == last);
        if (RADIUS_X > 4u) {
            let far_before = load(channel, i - min(x, 2u));
            let far_after = load(channel, i + min(last - x, 2u));
            found.far_before = select(far_before, found.before.xxxx, x < 2u);
            found.far_after = select(far_after, found.after.wwww, x + 1u >= last);
        }
    }
    return found;
}

fn smoothed(c: vec4<f32>, around: Neighbours, x: u32) -> vec4<f32> {
    let a = around.far_before;
    let b = around.before;
    let d = around.after;
    let e = around.far_after;
    let near = block.taps_x[0];
    let far = block.taps_x[1];
    var sum = near.x * c;
    if (RADIUS_X > 0u) {
        sum = sum + near.y * (vec4<f32>(b.w, c.xyz) + vec4<f32>(c.yzw, d.x));
    }
    if (RADIUS_X > 1u) {
        sum = sum + near.z * (vec4<f32>(b.zw, c.xy) + vec4<f32>(c.zw, d.xy));
    }
    if (RADIUS_X > 2u) {
        sum = sum + near.w * (vec4<f32>(b.yzw, c.x) + vec4<f32>(c.w, d.xyz));
    }
    if (RADIUS_X > 3u) {
        sum = sum + far.x * (b + d);
    }
    if (RADIUS_X > 4u) {
        sum = sum + far.y * (vec4<f32>(a.w, b.xyz) + vec4<f32>(d.yzw, e.x));
    }
    if (RADIUS_X > 5u) {
        sum = sum + far.z * (vec4<f32>(a.zw, b.xy) + vec4<f32>(d.zw, e.xy));
    }
    if (RADIUS_X > 6u) {
        sum = sum + far.w * (vec4<f32>(a.yzw, b.x) + vec4<f32>(d.w, e.xyz));
    }
    if (RADIUS_X > 7u) {
        sum = sum + block.taps_x[2].x * (a + e);
    }
    return sum;
}
