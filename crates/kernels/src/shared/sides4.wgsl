// Neighbours along x of four samples at a time.
fn first_of(pack: vec4<f32>) -> f32 {
    return pack.x;
}

fn last_of(pack: vec4<f32>) -> f32 {
    return pack.w;
}

fn sample_of(pack: vec4<f32>, k: u32) -> f32 {
    return pack[k];
}

// What stands before each sample, and what after it.
fn before_each(before: f32, here: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(before, here.xyz);
}

fn after_each(here: vec4<f32>, after: f32) -> vec4<f32> {
    return vec4<f32>(here.yzw, after);
}

// 1, but at the ends of a row what is greater.
fn ends(first: f32, last: f32) -> vec4<f32> {
    return vec4<f32>(first, 1.0, 1.0, last);
}
