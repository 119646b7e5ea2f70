// The least eigenvalue of the matrix p q, q r.
fn least_of_plane(p: f32, q: f32, r: f32) -> f32 {
    let mean = 0.5 * (p + r);
    let half = 0.5 * (p - r);
    return mean - sqrt(half * half + q * q);
}
