//! Colours of the parts of a mesh.

/// The colour of a part. Hues are a golden section of the circle apart, in three lightnesses.
pub fn part_rgb(part: u32) -> [u8; 3] {
    const GOLDEN_TURN: f64 = 0.618_033_988_749_894_9;
    let hue = 6.0 * (0.58 + f64::from(part) * GOLDEN_TURN).fract();
    let (value, chroma) = [(0.95, 0.62), (0.75, 0.6), (0.88, 0.42)][part as usize % 3];
    let channel = |shift: f64| {
        let around = (hue + shift).rem_euclid(6.0);
        let share = around.min(4.0 - around).clamp(0.0, 1.0);
        (255.0 * (value - chroma * share)).round() as u8
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

/// The colour of every triangle: that of its part, blended to white where it is uncertain (gpgpu2011, section 5.2).
///
/// `labels` are the parts of the triangles, `certainty` goes from 0 to 1.
pub fn part_colours(labels: &[u32], certainty: &[f32]) -> Vec<[u8; 3]> {
    labels.iter().zip(certainty).map(|(&part, &certainty)| whitened(part_rgb(part), certainty)).collect()
}

fn whitened(rgb: [u8; 3], certainty: f32) -> [u8; 3] {
    rgb.map(|c| (255.0 - certainty.clamp(0.0, 1.0) * (255.0 - f32::from(c))).round() as u8)
}
