//! Films of streams: a video, or a folder of pictures; that of the engine has the frame itself and one tile an output, each with
//! its name and what its colours mean.

use super::Result;
use std::path::PathBuf;
use veloxel_core::Volume;
use veloxel_io::{self as io, FrameRate, VideoColour, VideoShape, VideoWriter};
use veloxel_motion::{PhaseFields, PhaseWanted};
use veloxel_report::number::text;
use veloxel_report::{
    ColourKey, MapPicture, ValueRange, captioned, colour_wheel_rgb, disparity_rgb, orientation_rgb,
};

/// A video, or a folder of pictures.
pub(super) struct Film {
    path: PathBuf,
    interval_ms: Option<f64>,
    /// A video begins with its first frame, when the size of the picture is known.
    video: Option<VideoWriter>,
}

impl Film {
    pub fn new(path: PathBuf, interval_ms: Option<f64>) -> Self {
        Self { path, interval_ms, video: None }
    }

    /// Adds the picture of a frame.
    pub fn push(&mut self, number: u64, picture: &MapPicture) -> Result<()> {
        let &MapPicture { width, height, ref rgb } = picture;
        if self.path.is_dir() {
            let path = self.path.join(format!("frame_{number:06}.png"));
            return Ok(io::write_rgb_png(&path, width, height, rgb)?);
        }
        let video = match self.video.take() {
            Some(video) => video,
            None => {
                let rate = FrameRate::from_interval_ms(self.interval_ms);
                let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
                VideoWriter::create(&self.path, shape)?
            }
        };
        Ok(self.video.insert(video).push(rgb)?)
    }

    /// Ends the video.
    pub fn finish(self) -> Result<()> {
        Ok(self.video.map_or(Ok(()), VideoWriter::finish)?)
    }
}

/// A frame in shades of grey.
pub(super) fn grey(frame: &Volume<f32>, white: f32) -> MapPicture {
    let [width, height, _] = frame.grid().size();
    let rgb = frame.data().iter().flat_map(|v| [(255.0 * v / white).round() as u8; 3]).collect();
    MapPicture { width, height, rgb }
}

/// The film of the engine: every frame with results.
pub(super) struct EngineFilm {
    target: Film,
    wanted: PhaseWanted,
    scales: Scales,
}

/// Colours mean the same in every frame.
#[derive(Default)]
struct Scales {
    flow_px: Option<f64>,
    disparity_px: Option<[f64; 2]>,
}

/// A tile whose frame has no such result.
const NOTHING: u8 = 118;

impl EngineFilm {
    pub fn new(path: PathBuf, wanted: PhaseWanted, interval_ms: Option<f64>) -> Self {
        Self { target: Film::new(path, interval_ms), wanted, scales: Scales::default() }
    }

    /// Adds a frame with what was found for it.
    pub fn push(&mut self, number: u64, image: &Volume<f32>, fields: &PhaseFields) -> Result<()> {
        let tiles = self.tiles(number, image, fields)?;
        self.target.push(number, &mosaic(&tiles))
    }

    /// Ends the video.
    pub fn finish(self) -> Result<()> {
        self.target.finish()
    }

    /// The frame itself, then one picture an output.
    fn tiles(&mut self, number: u64, image: &Volume<f32>, fields: &PhaseFields) -> Result<Vec<MapPicture>> {
        let white = image.data().iter().copied().fold(255.0, f32::max);
        let frame = grey(image, white);
        let (width, height) = (frame.width, frame.height);
        let nothing = |what: &str| {
            let rgb = vec![NOTHING; 3 * width * height];
            captioned(MapPicture { width, height, rgb }, what, &ColourKey::None)
        };
        let mut tiles = vec![captioned(frame, &format!("frame {number}"), &ColourKey::None)];
        if self.wanted.flow {
            tiles.push(match &fields.flow {
                Some(flow) => {
                    let picture = colour_wheel_rgb(flow, 0, self.scales.flow_px);
                    let scale = *self.scales.flow_px.get_or_insert(picture.scale_vox);
                    let key = ColourKey::Wheel(format!("{} px", text(scale)));
                    captioned(MapPicture { width, height, rgb: picture.rgb }, "flow", &key)
                }
                None => nothing("no flow at this end"),
            });
        }
        if self.wanted.stereo {
            tiles.push(match &fields.disparity_px {
                Some(disparity_px) => {
                    // A range of all values is sought once.
                    let found = || ValueRange::of(disparity_px).map(|r| [r.p1, r.p99]);
                    self.scales.disparity_px = self.scales.disparity_px.or_else(found);
                    let range = self.scales.disparity_px.unwrap_or([0.0, 1.0]);
                    let key = ColourKey::Depth([text(range[0]), format!("{} px", text(range[1]))]);
                    captioned(disparity_rgb(disparity_px, Some(range)), "disparity", &key)
                }
                None => nothing("no right frame"),
            });
        }
        if let Some(maps) = &fields.features {
            let picture = orientation_rgb(&maps.orientation_rad, &maps.energy)?;
            tiles.push(captioned(picture, "orientation", &ColourKey::None));
        }
        Ok(tiles)
    }
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
