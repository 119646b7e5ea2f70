// The positions along x of the samples of a pack.
fn along(pack: u32) -> vec4<f32> {
    return f32(4u * pack) + vec4<f32>(0.0, 1.0, 2.0, 3.0);
}
