//! Small pictures whose vectors by phases are too short, found out by the pictures themselves.
//!
//! A velocity is its phase's slope over the filters' own frequency. Waves that are long beside the filters' four pixels on the coarsest level
//! as well give the share `k/ω₀` of their motion on each level, and few levels do not find the rest: of waves of 50 pixels in pictures of
//! 14 to 100 pixels a half to three quarters, however well the phases fit. The pictures know: with `r = F − M(x + d)` what is left
//! between them and `g = ∇I · d̄` what a longer flow would change, `r ≈ γ g`, where γ is what the vectors lack, over their length.
//! d̄ is the affine map nearest to the flow, because a flow's own noise fits that of the pictures; both pictures are smoothed, and offset and
//! gain of the brightness, which phases do not see, are taken from r and g.

use super::narrow::DOUBT;
use veloxel_core::matrix3::inverse;
use veloxel_core::{Dimension, Flow, Hint, Volume, WarningKind, Warnings};

/// Pictures with a shorter side have three levels.
const THREE_LEVELS_PX: usize = 121;
/// Vectors that lack more of their length are doubted: 11 % of the true motion.
const LACKING: f64 = 0.125;
/// What is left between the pictures has to be like a longer flow: the least correlation.
const LEAST_CORRELATION: f64 = 0.25;
/// How often pictures are smoothed by (1 4 6 4 1)/16.
const SMOOTHINGS: usize = 3;
const TAPS: [f32; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];

/// Takes most of the confidence, and says so, where vectors of a small picture are too short by the pictures' own account.
pub(crate) fn doubt_short(
    [fixed, moving]: [&Volume<f32>; 2],
    flow: &Flow,
    confidence: &mut Volume<f32>,
    warnings: &mut Warnings,
) {
    let [nx, ny, _] = flow.grid().size();
    let is_small = flow.grid().dimension() == Dimension::Two && nx.min(ny) < THREE_LEVELS_PX;
    let share_grid = [fixed, moving].iter().all(|picture| picture.grid().size() == flow.grid().size());
    if !(is_small && share_grid) {
        return;
    }
    let Some(lacking) = lacking([fixed, moving], flow).filter(|lacking| *lacking > LACKING) else { return };
    confidence.data_mut().iter_mut().for_each(|confidence| *confidence *= DOUBT);
    let text = format!(
        "by the frames the vectors are about {:.0} % too short: a picture of {nx} × {ny} pixels has too few levels for the phases of waves \
         that are so long; its confidence is lowered",
        100.0 * lacking / (1.0 + lacking)
    );
    warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
}

/// What vectors lack, over their length; none where the pictures do not tell.
fn lacking([fixed, moving]: [&Volume<f32>; 2], flow: &Flow) -> Option<f64> {
    let [nx, ny, _] = flow.grid().size();
    let vectors: Vec<[f64; 2]> =
        (0..nx * ny).map(|i| flow.vector_vox(i)).map(|[u, v, _]| [u, v].map(f64::from)).collect();
    let nearest = Affine::of(&vectors, nx)?;
    // Where nothing is known the picture is as it would be without any difference.
    let seen: Vec<Option<f32>> =
        (0..nx * ny).map(|i| sampled(moving, [i % nx, i / nx], vectors[i])).collect();
    let filled: Vec<f32> = seen.iter().zip(fixed.data()).map(|(seen, own)| seen.unwrap_or(*own)).collect();
    let [one, other] = [fixed.data().to_vec(), filled].map(|picture| smoothed(picture, [nx, ny]));
    let (mut left, mut longer, mut brightness) = (Vec::new(), Vec::new(), Vec::new());
    for (x, y) in (1..ny.saturating_sub(1)).flat_map(|y| (1..nx.saturating_sub(1)).map(move |x| (x, y))) {
        let i = y * nx + x;
        if seen[i].is_none() {
            continue;
        }
        let slope = |step: usize| {
            let of = |picture: &[f32]| f64::from(picture[i + step] - picture[i - step]);
            0.25 * (of(&one) + of(&other))
        };
        let [u, v] = nearest.at([x, y]);
        left.push(f64::from(one[i] - other[i]));
        longer.push(slope(1) * u + slope(nx) * v);
        brightness.push(f64::from(other[i]));
    }
    let [left, longer] = [left, longer].map(|values| without(&values, &brightness));
    let (product, [left, longer]) = (sum(&left, &longer), [sum(&left, &left), sum(&longer, &longer)]);
    let correlation = product / (left * longer).sqrt();
    (correlation > LEAST_CORRELATION).then(|| product / longer)
}

/// The bilinear sample that a vector leads to; none outside of the picture and for an unknown one.
fn sampled(picture: &Volume<f32>, [x, y]: [usize; 2], [u, v]: [f64; 2]) -> Option<f32> {
    let [nx, ny, _] = picture.grid().size();
    let at = [x as f64 + u, y as f64 + v];
    let is_inside = at[0] >= 0.0 && at[1] >= 0.0 && at[0] <= (nx - 1) as f64 && at[1] <= (ny - 1) as f64;
    if !is_inside {
        return None;
    }
    let low = at.map(|at| at as usize);
    let [right, lower] = [(low[0] + 1).min(nx - 1), (low[1] + 1).min(ny - 1)];
    let [share_x, share_y] = [(at[0] - low[0] as f64) as f32, (at[1] - low[1] as f64) as f32];
    let row = |y: usize| {
        let of = |x: usize| picture.data()[y * nx + x];
        (1.0 - share_x) * of(low[0]) + share_x * of(right)
    };
    Some((1.0 - share_y) * row(low[1]) + share_y * row(lower)).filter(|sample| sample.is_finite())
}

/// A picture smoothed along both axes, its border repeated.
fn smoothed(mut picture: Vec<f32>, [nx, ny]: [usize; 2]) -> Vec<f32> {
    for _ in 0..SMOOTHINGS {
        for (count, step) in [(nx, 1), (ny, nx)] {
            let place = |i: usize| i / step % count;
            let start = |i: usize| i - place(i) * step;
            picture = (0..picture.len())
                .map(|i| {
                    let tap = |nth: usize| {
                        let at = (place(i) + nth).saturating_sub(2).min(count - 1);
                        TAPS[nth] * picture[start(i) + at * step]
                    };
                    (0..5).map(tap).sum()
                })
                .collect();
        }
    }
    picture
}

/// Values without their mean, and without what is linear in others.
fn without(values: &[f64], others: &[f64]) -> Vec<f64> {
    let centred = |values: &[f64]| -> Vec<f64> {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        values.iter().map(|value| value - mean).collect()
    };
    let (values, others) = (centred(values), centred(others));
    let slope = sum(&values, &others) / sum(&others, &others).max(f64::MIN_POSITIVE);
    values.iter().zip(&others).map(|(value, other)| value - slope * other).collect()
}

fn sum(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// An affine map from a pixel to a vector.
struct Affine([[f64; 3]; 2]);

impl Affine {
    /// The one nearest to vectors in rows of `nx`, NaN left out, by least squares; none if they do not determine one.
    fn of(vectors: &[[f64; 2]], nx: usize) -> Option<Self> {
        let (mut normal, mut right) = ([[0.0; 3]; 3], [[0.0; 3]; 2]);
        for (i, vector) in
            vectors.iter().enumerate().filter(|(_, vector)| vector.iter().all(|v| v.is_finite()))
        {
            let place = [(i % nx) as f64, (i / nx) as f64, 1.0];
            for (row, of_row) in normal.iter_mut().zip(place) {
                row.iter_mut().zip(place).for_each(|(entry, of_column)| *entry += of_row * of_column);
            }
            for (row, component) in right.iter_mut().zip(vector) {
                row.iter_mut().zip(place).for_each(|(entry, of_column)| *entry += component * of_column);
            }
        }
        let inverse = inverse(&normal);
        let solved =
            right.map(|right| inverse.map(|row| row.iter().zip(right).map(|(a, b)| a * b).sum::<f64>()));
        solved.iter().flatten().all(|value| value.is_finite()).then_some(Self(solved))
    }

    fn at(&self, [x, y]: [usize; 2]) -> [f64; 2] {
        self.0.map(|[along_x, along_y, constant]| along_x * x as f64 + along_y * y as f64 + constant)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use veloxel_core::Grid;

    /// Long waves that moved, of a brightness that changed.
    fn picture(size: [usize; 2], [u, v]: [f64; 2], [gain, offset]: [f64; 2]) -> Volume<f32> {
        Volume::from_fn(Grid::image(size[0], size[1]).unwrap(), |[x, y, _]| {
            let (x, y) = (x as f64 - u, y as f64 - v);
            let waves = (0.2 * x + 0.07 * y).sin() + (0.16 * y - 0.1 * x).cos() + 0.5 * (0.11 * x).sin();
            (gain * (128.0 + 40.0 * waves) + offset) as f32
        })
    }

    /// The confidence that is left of 1, and the warning, of a flow of a share of the motion.
    fn doubted(size: [usize; 2], share: f64, light: [f64; 2]) -> (f32, String) {
        let motion = [1.5, -0.75];
        let frames = [picture(size, [0.0; 2], [1.0, 0.0]), picture(size, motion, light)];
        let flow = Flow::from_fn(frames[0].grid().clone(), |_| [share * motion[0], share * motion[1], 0.0]);
        let (mut confidence, mut warnings) = (frames[0].map(|_| 1.0), Warnings::new());
        doubt_short(frames.each_ref(), &flow, &mut confidence, &mut warnings);
        let told = warnings.iter().next().map(|warning| warning.message.clone());
        (confidence.data()[0], told.unwrap_or_default())
    }

    #[test]
    fn vectors_that_are_too_short_are_doubted_and_whole_ones_are_not() {
        for size in [[14, 14], [24, 18], [160, 14], [64, 64], [100, 100]] {
            for light in [[1.0, 0.0], [1.1, -9.0]] {
                let (confidence, told) = doubted(size, 0.6, light);
                assert!(confidence < 0.2 && told.contains("too short"), "{size:?} {light:?}: {told}");
                assert_eq!(doubted(size, 1.0, light), (1.0, String::new()), "{size:?} {light:?}");
                assert_eq!(doubted(size, 1.2, light).0, 1.0, "a flow that is too long is not too short");
            }
        }
        let (_, told) = doubted([64, 64], 0.6, [1.0, 0.0]);
        assert!(told.contains("about 4") || told.contains("about 3"), "{told}");
        assert_eq!(doubted([160, 160], 0.6, [1.0, 0.0]).0, 1.0, "pictures with four levels are left alone");
    }

    #[test]
    fn pictures_that_stand_still_or_have_nothing_are_not_doubted() {
        let still = picture([40, 40], [0.0; 2], [1.0, 0.0]);
        let noisy = Volume::from_fn(still.grid().clone(), |[x, y, _]| {
            still.data()[y * 40 + x] + ((x * 7919 + y * 104_729) % 13) as f32
        });
        for (moving, motion) in [(&noisy, 0.02), (&still, 0.0), (&still.map(|_| 3.0), 1.0)] {
            let flow = Flow::from_fn(still.grid().clone(), |_| [motion, 0.0, 0.0]);
            let (mut confidence, mut warnings) = (still.map(|_| 1.0), Warnings::new());
            doubt_short([&moving.clone(), moving], &flow, &mut confidence, &mut warnings);
            assert_eq!(confidence.data()[0], 1.0, "{motion}");
        }
    }
}
