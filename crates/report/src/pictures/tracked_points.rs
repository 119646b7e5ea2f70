//! A frame with the points that are followed through it, each with its way through the frames before.

use crate::number::text;
use crate::pictures::caption::{ColourKey, captioned};
use crate::pictures::colour::{Rgb, wheel};
use crate::pictures::fields::field_picture::PictureKey;
use crate::pictures::grey::grey_rgb;
use crate::pictures::maps::full_colour;
use crate::pictures::phase_pictures::MapPicture;
use veloxel_core::Volume;

/// A point with the way that it came.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedMark {
    /// The number of its track, which chooses its colour.
    pub id: usize,
    /// Its positions from frame to frame, pixels, the last one in the frame that is drawn; a way through NaN is not drawn.
    pub way_px: Vec<[f32; 2]>,
}

/// What the colours of points say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum TrackColours {
    /// Which track it is.
    #[default]
    Track,
    /// Where it went from the frame before, in the colours of the wheel.
    Motion {
        /// The step with full colour, pixels a frame; without one a round number that 99 % of the frame's steps do not exceed.
        scale_px: Option<f64>,
    },
}

/// How tracks are drawn over a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackDrawing {
    /// Frames of the way that are shown behind a point.
    pub trail_frames: usize,
    /// What the colours say.
    pub colours: TrackColours,
    /// Whether a strip below says what they say; of the wheel alone.
    pub key: PictureKey,
}

impl Default for TrackDrawing {
    fn default() -> Self {
        Self { trail_frames: 1, colours: TrackColours::Track, key: PictureKey::LeftOut }
    }
}

/// Colours that distinguish neighbouring points.
const COLOURS: [Rgb; 6] =
    [[230, 80, 60], [70, 170, 240], [250, 190, 40], [90, 200, 110], [200, 110, 230], [60, 215, 205]];

/// Longest step that is drawn dot by dot, pixels.
const MOST_DOTS: f32 = 4096.0;

impl TrackDrawing {
    /// Draws a frame (2-D), whose white is `white`, with its points.
    pub fn draw(&self, frame: &Volume<f32>, white: f32, marks: &[TrackedMark]) -> MapPicture {
        let mut picture = grey_rgb(frame, white);
        let steps = || marks.iter().filter_map(last_step).map(|[u, v]| u.hypot(v));
        let scale = match self.colours {
            TrackColours::Track => 1.0,
            TrackColours::Motion { scale_px } => {
                scale_px.filter(|s| s.is_finite() && *s > 0.0).unwrap_or_else(|| full_colour(steps()))
            }
        };
        for mark in marks {
            let colour = match (self.colours, last_step(mark)) {
                (TrackColours::Motion { .. }, Some(step)) => {
                    wheel(step.map(|c| (f64::from(c) / scale) as f32))
                }
                (TrackColours::Motion { .. }, None) => [255; 3],
                (TrackColours::Track, _) => COLOURS[mark.id % COLOURS.len()],
            };
            let way = &mark.way_px[mark.way_px.len().saturating_sub(self.trail_frames.saturating_add(1))..];
            for pair in way.windows(2) {
                line(&mut picture, [pair[0], pair[1]], colour);
            }
            if let Some(&at_px) = way.last() {
                dot(&mut picture, at_px, 1, colour);
            }
        }
        match (self.key, self.colours) {
            (PictureKey::Wheel, TrackColours::Motion { .. }) => {
                let rim = format!("{} px a frame", text(scale));
                captioned(picture, "tracks", &ColourKey::Wheel(rim))
            }
            _ => picture,
        }
    }
}

/// The step from the frame before; none for a point that begins, or has no position.
fn last_step(mark: &TrackedMark) -> Option<[f32; 2]> {
    let [.., before, at] = mark.way_px[..] else { return None };
    let step = [at[0] - before[0], at[1] - before[1]];
    step.iter().all(|c| c.is_finite()).then_some(step)
}

fn line(picture: &mut MapPicture, [from, to]: [[f32; 2]; 2], colour: Rgb) {
    let way = [to[0] - from[0], to[1] - from[1]];
    if way.iter().any(|c| c.is_nan()) {
        return;
    }
    let steps = way[0].abs().max(way[1].abs()).ceil().min(MOST_DOTS) as usize;
    for k in 0..steps {
        let t = k as f32 / steps as f32;
        dot(picture, [from[0] + t * way[0], from[1] + t * way[1]], 0, colour);
    }
}

/// Colours the square around a place, which has no colour at NaN.
fn dot(picture: &mut MapPicture, at_px: [f32; 2], reach: i32, colour: Rgb) {
    if at_px.iter().any(|c| c.is_nan()) {
        return;
    }
    let [x, y] = at_px.map(|c| c.round() as i32);
    let (width, height) = (picture.width as i32, picture.height as i32);
    for (x, y) in (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (x + dx, y + dy))) {
        if (0..width).contains(&x) && (0..height).contains(&y) {
            let at = 3 * (y as usize * picture.width + x as usize);
            picture.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn frame() -> Volume<f32> {
        Volume::from_fn(Grid::image(9, 5).unwrap(), |_| 0.0)
    }

    #[test]
    fn a_point_is_a_dot_at_the_end_of_its_way() {
        let mark = TrackedMark { id: 1, way_px: vec![[1.0, 2.0], [6.0, 2.0]] };
        let lost = TrackedMark { id: 1, way_px: vec![[1.0, 2.0], [f32::NAN; 2]] };
        let picture = TrackDrawing::default().draw(&frame(), 255.0, &[mark, lost]);
        let is_drawn = |x: usize, y: usize| picture.rgb[3 * (9 * y + x)..][..3] == COLOURS[1];
        assert!(is_drawn(1, 2) && is_drawn(4, 2) && is_drawn(7, 3) && is_drawn(5, 1));
        assert!(!is_drawn(0, 2) && !is_drawn(8, 2) && !is_drawn(1, 1));
    }

    #[test]
    fn a_trail_has_so_many_frames_and_the_wheel_tells_the_last_step() {
        let mark = [TrackedMark { id: 0, way_px: vec![[0.0, 0.0], [0.0, 4.0], [4.0, 4.0]] }];
        let colours = TrackColours::Motion { scale_px: Some(4.0) };
        let drawing = TrackDrawing { trail_frames: 2, colours, key: PictureKey::LeftOut };
        let picture = drawing.draw(&frame(), 255.0, &mark);
        let pixel =
            |picture: &MapPicture, x: usize, y: usize| [0, 1, 2].map(|c| picture.rgb[3 * (9 * y + x) + c]);
        assert_eq!([pixel(&picture, 0, 1), pixel(&picture, 2, 4)], [wheel([1.0, 0.0]); 2]);
        let short = TrackDrawing { trail_frames: 1, ..drawing }.draw(&frame(), 255.0, &mark);
        assert_eq!(pixel(&short, 0, 1), [0; 3]);
        let keyed = TrackDrawing { key: PictureKey::Wheel, ..drawing };
        assert!(keyed.draw(&frame(), 255.0, &mark).height > 5);
    }
}
