// The lattice's sums are not used here.
fn control(component: u32, at: u32) -> f32 {
    return 0.0;
}
