// The positions along x of the samples of a pack.
fn along(pack: u32) -> f32 {
    return f32(pack);
}
