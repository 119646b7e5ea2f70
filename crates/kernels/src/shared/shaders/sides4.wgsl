// Neighbours along x, for packs of four samples.
fn first_of(pack: vec4<f32>) -> f32 {
    return pack.x;
}

fn last_of(pack: vec4<f32>) -> f32 {
    return pack.w;
}

fn sample_of(pack: vec4<f32>, k: u32) -> f32 {
    return pack[k];
}

// The neighbours before each sample of a pack (`before_each`) and after it (`after_each`).
fn before_each(before: f32, here: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(before, here.xyz);
}

fn after_each(here: vec4<f32>, after: f32) -> vec4<f32> {
    return vec4<f32>(here.yzw, after);
}

// A factor for each sample of a pack: 1, except `first` for the first sample and `last` for the last one.
fn ends(first: f32, last: f32) -> vec4<f32> {
    return vec4<f32>(first, 1.0, 1.0, last);
}
