// NaN marks what is unknown. WGSL lets compilers assume that it does not happen, so its bits are looked at.
fn is_nan(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}

fn is_finite(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) < 0x7f800000u;
}

fn not_a_number() -> f32 {
    var bits = 0x7fc00000u;
    return bitcast<f32>(bits);
}
