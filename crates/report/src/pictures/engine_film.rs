//! The film of the engine: the frame and one tile for each output, each with its name and a key of its colours.

use crate::error::ReportError;
use crate::number::text;
use crate::pictures::caption::{ColourKey, captioned};
use crate::pictures::colour_wheel::colour_wheel_rgb;
use crate::pictures::grey::grey_rgb;
use crate::pictures::phase_pictures::{MapPicture, disparity_rgb, orientation_rgb};
use crate::run::value_range::ValueRange;
use veloxel_core::{Control, Flow, Stopped, Volume};

/// An output that has a tile in every picture, even for a frame without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineTile {
    /// The flow in the colours of the wheel.
    Flow,
    /// The disparity.
    Disparity,
}

/// A frame of a stream and its results, all on its grid.
#[derive(Debug, Clone, Copy)]
pub struct FilmFrame<'a> {
    /// Number of the frame.
    pub number: u64,
    /// The frame itself.
    pub image: &'a Volume<f32>,
    /// The flow towards the next frame.
    pub flow: Option<&'a Flow>,
    /// The disparity, pixels.
    pub disparity_px: Option<&'a Volume<f32>>,
    /// Orientation (radians) and energy.
    pub orientation: Option<OrientationMaps<'a>>,
}

/// Orientations and their strength.
#[derive(Debug, Clone, Copy)]
pub struct OrientationMaps<'a> {
    /// Direction across the edge or line, radians.
    pub orientation_rad: &'a Volume<f32>,
    /// Energy, squared intensity.
    pub energy: &'a Volume<f32>,
}

/// Draws the frames of a film; a colour has the same meaning in all of them.
#[derive(Debug)]
pub struct EngineFilm {
    tiles: Vec<EngineTile>,
    flow_px: Option<f64>,
    disparity_px: Option<[f64; 2]>,
}

/// Grey of a tile whose frame has no such result.
const NOTHING: u8 = 118;

impl EngineFilm {
    /// A film with these tiles beside the frame; orientations get a tile in every frame that has them.
    pub fn new(tiles: Vec<EngineTile>) -> Self {
        Self { tiles, flow_px: None, disparity_px: None }
    }

    /// The picture of the next frame.
    ///
    /// # Errors
    /// [`ReportError::Core`] if orientation and energy lie on two grids; [`ReportError::Stopped`].
    pub fn picture(&mut self, frame: &FilmFrame<'_>, control: &Control) -> Result<MapPicture, ReportError> {
        let white = frame.image.data().iter().copied().fold(255.0, f32::max);
        let own =
            captioned(grey_rgb(frame.image, white), &format!("frame {}", frame.number), &ColourKey::None);
        let mut tiles = vec![own];
        for tile in self.tiles.clone() {
            tiles.push(match tile {
                EngineTile::Flow => self.flow(frame, control)?,
                EngineTile::Disparity => self.disparity(frame),
            });
        }
        if let Some(OrientationMaps { orientation_rad, energy }) = frame.orientation {
            let picture = orientation_rgb(orientation_rad, energy)?;
            tiles.push(captioned(picture, "orientation", &ColourKey::None));
        }
        Ok(mosaic(&tiles))
    }

    fn flow(&mut self, frame: &FilmFrame<'_>, control: &Control) -> Result<MapPicture, Stopped> {
        let Some(flow) = frame.flow else { return Ok(nothing(frame, "no flow at this end")) };
        let picture = colour_wheel_rgb(flow, 0, self.flow_px, control)?;
        let scale = *self.flow_px.get_or_insert(picture.scale_vox);
        let key = ColourKey::Wheel(format!("{} px", text(scale)));
        let (width, height) = (picture.width, picture.height);
        Ok(captioned(MapPicture { width, height, rgb: picture.rgb }, "flow", &key))
    }

    fn disparity(&mut self, frame: &FilmFrame<'_>) -> MapPicture {
        let Some(disparity_px) = frame.disparity_px else { return nothing(frame, "no right frame") };
        // A range of all values is sought once.
        let found = || ValueRange::of(disparity_px).map(|r| [r.p1, r.p99]);
        self.disparity_px = self.disparity_px.or_else(found);
        let range = self.disparity_px.unwrap_or([0.0, 1.0]);
        let key = ColourKey::Depth([text(range[0]), format!("{} px", text(range[1]))]);
        captioned(disparity_rgb(disparity_px, Some(range)), "disparity", &key)
    }
}

/// The tile of an output that a frame does not have.
fn nothing(frame: &FilmFrame<'_>, what: &str) -> MapPicture {
    let [width, height, _] = frame.image.grid().size();
    let rgb = vec![NOTHING; 3 * width * height];
    captioned(MapPicture { width, height, rgb }, what, &ColourKey::None)
}

/// Pictures of one size side by side: two or three in a row, or in a column where they are wide; four in two rows.
fn mosaic(tiles: &[MapPicture]) -> MapPicture {
    let (nx, ny) = (tiles[0].width, tiles[0].height);
    let columns = match tiles.len() {
        4 => 2,
        n if nx < 2 * ny => n,
        _ => 1,
    };
    let (width, height) = (columns * nx, tiles.len().div_ceil(columns) * ny);
    let mut rgb = vec![0; 3 * width * height];
    for (k, tile) in tiles.iter().enumerate() {
        for (y, row) in tile.rgb.chunks_exact(3 * nx).enumerate() {
            let at = 3 * (((k / columns) * ny + y) * width + (k % columns) * nx);
            rgb[at..at + 3 * nx].copy_from_slice(row);
        }
    }
    MapPicture { width, height, rgb }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_leave_no_place_black() {
        let tile = |v: u8, size: [usize; 2]| MapPicture {
            width: size[0],
            height: size[1],
            rgb: vec![v; 3 * size[0] * size[1]],
        };
        for size in [[2, 2], [4, 2]] {
            for count in 1..=4 {
                let tiles: Vec<_> = (1..=count).map(|v| tile(v, size)).collect();
                let all = mosaic(&tiles);
                assert_eq!(all.rgb.len(), 3 * all.width * all.height);
                assert!(all.rgb.iter().all(|v| *v != 0), "{count} of {size:?}");
            }
        }
        let wide: Vec<_> = (1..=3).map(|v| tile(v, [4, 2])).collect();
        assert_eq!((mosaic(&wide).width, mosaic(&wide).height), (4, 6));
        let three: Vec<_> = (1..=3).map(|v| tile(v, [2, 2])).collect();
        assert_eq!(mosaic(&three).rgb[..18], [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
    }
}
