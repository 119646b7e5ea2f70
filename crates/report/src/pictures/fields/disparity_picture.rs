//! A disparity as a picture for people: near is light, over the left image where that is wanted, with a key.

use super::field_picture::{Grey, PictureGround, PictureKey};
use crate::error::ReportError;
use crate::number::text;
use crate::pictures::caption::{ColourKey, captioned_in_lines};
use crate::pictures::colour::Ramp;
use crate::pictures::phase_pictures::{MapPicture, NEUTRAL};
use crate::pictures::planes::planes_through;
use veloxel_core::{Control, Volume};
use veloxel_measure::finite_quantiles;

/// How a disparity is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DisparityDrawing {
    /// The disparity at the light end of the colours, pixels, with 0 at the dark end; without one the ends are those that 1 % and
    /// 99 % of the disparities do not exceed.
    pub scale_px: Option<f64>,
    /// What lies below the colours; without an image, pixels without a disparity are grey.
    pub ground: PictureGround,
    /// Whether a strip below says what the colours mean.
    pub key: PictureKey,
}

/// Share of the colour over the image.
const COLOUR_SHARE: f32 = 0.6;

impl DisparityDrawing {
    /// Draws a disparity, pixels, on its left image.
    ///
    /// # Errors
    /// [`ReportError::Core`] for an image on another grid; [`ReportError::Stopped`].
    pub fn draw(
        &self,
        disparity_px: &Volume<f32>,
        left: &Volume<f32>,
        control: &Control,
    ) -> Result<MapPicture, ReportError> {
        disparity_px.grid().require_same(left.grid(), "disparity and left image")?;
        control.check()?;
        let found = || finite_quantiles(disparity_px.data().iter().copied(), [0.01, 0.99]);
        let ends = self.scale_px.filter(|scale| scale.is_finite() && *scale > 0.0).map(|scale| [0.0, scale]);
        let [low, high] = ends.or_else(found).unwrap_or([0.0, 1.0]);
        let extent = if high > low { high - low } else { 1.0 };
        let grey = Grey::of(left, &planes_through(left.grid(), [0; 3])[0]);
        let [width, height, _] = left.grid().size();
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            control.check()?;
            rgb.extend((y * width..(y + 1) * width).flat_map(|i| {
                let d = disparity_px.data()[i];
                let colour = d.is_finite().then(|| Ramp::Depth.at(((f64::from(d) - low) / extent) as f32));
                match (colour, self.ground) {
                    (Some(colour), PictureGround::White) => colour,
                    (None, PictureGround::White) => NEUTRAL,
                    (Some(colour), PictureGround::Image) => {
                        let below = f32::from(grey.at(i));
                        colour.map(|c| (below + COLOUR_SHARE * (f32::from(c) - below)).round() as u8)
                    }
                    (None, PictureGround::Image) => [grey.at(i) / 2; 3],
                }
            }));
        }
        let picture = MapPicture { width, height, rgb };
        Ok(match self.key {
            PictureKey::LeftOut => picture,
            PictureKey::Wheel => {
                captioned_in_lines(picture, "disparity, px", &ColourKey::Depth([text(low), text(high)]))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn near_is_light_and_what_is_unknown_shows_the_image() {
        let grid = Grid::image(4, 1).unwrap();
        let left = Volume::new(grid.clone(), vec![0.0, 100.0, 200.0, 200.0]).unwrap();
        let disparity = Volume::new(grid, vec![0.0, 10.0, f32::NAN, 5.0]).unwrap();
        let drawing = DisparityDrawing { scale_px: Some(10.0), ..DisparityDrawing::default() };
        let plain = drawing.draw(&disparity, &left, &Control::default()).unwrap();
        let pixel = |picture: &MapPicture, i: usize| [0, 1, 2].map(|c| picture.rgb[3 * i + c]);
        assert_eq!([0, 1].map(|i| pixel(&plain, i)), [Ramp::Depth.at(0.0), Ramp::Depth.at(1.0)]);
        assert_eq!(pixel(&plain, 2), NEUTRAL);
        let over = DisparityDrawing { ground: PictureGround::Image, ..drawing };
        let over = over.draw(&disparity, &left, &Control::default()).unwrap();
        let [r, g, b] = pixel(&over, 2);
        assert!(r == g && g == b && r > 90 && pixel(&over, 3) != pixel(&plain, 3));
        let keyed = DisparityDrawing { key: PictureKey::Wheel, ..drawing };
        assert!(keyed.draw(&disparity, &left, &Control::default()).unwrap().height > 1);
        let other = Volume::from_fn(Grid::image(3, 1).unwrap(), |_| 0.0);
        assert!(drawing.draw(&disparity, &other, &Control::default()).is_err());
    }
}
