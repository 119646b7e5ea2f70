//! What becomes of the engine's results: fields in a folder, and a video of pictures side by side.

use super::features::named;
use super::output_plan::OutputPlan;
use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_core::{Volume, Warnings};
use veloxel_io as io;
use veloxel_io::{FrameRate, VideoColour, VideoShape, VideoWriter};
use veloxel_motion::PhaseFields;
use veloxel_report::{ValueRange, colour_wheel_rgb, disparity_rgb, orientation_rgb};

/// Where results go.
pub(super) struct Results {
    folder: Option<PathBuf>,
    film: Option<Film>,
    interval_ms: Option<f64>,
    size: [usize; 2],
    scales: Scales,
}

/// A video that begins with its first frame, when the number of pictures in it is known.
enum Film {
    Waiting(PathBuf),
    Stream(VideoWriter),
    Pictures(PathBuf),
}

/// Colours mean the same in every frame.
#[derive(Default)]
struct Scales {
    flow_px: Option<f64>,
    disparity_px: Option<[f64; 2]>,
}

impl Results {
    pub fn new(
        plan: &mut OutputPlan,
        size: [usize; 2],
        interval_ms: Option<f64>,
    ) -> Result<Self, VeloxelError> {
        let begin = |path: PathBuf| if path.is_dir() { Film::Pictures(path) } else { Film::Waiting(path) };
        let (folder, film) = (plan.path("fields")?, plan.path("video")?.map(begin));
        Ok(Self { folder, film, interval_ms, size, scales: Scales::default() })
    }

    /// Takes what was found for a frame; videos show the frame itself as well.
    pub fn take(
        &mut self,
        number: u64,
        image: Option<&Volume<f32>>,
        fields: &PhaseFields,
    ) -> Result<(), VeloxelError> {
        if let Some(folder) = &self.folder {
            if let Some(flow) = &fields.flow {
                io::write_flow(&folder.join(format!("flow_{number:06}.flo")), flow)?;
            }
            if let Some(disparity_px) = &fields.disparity_px {
                io::write_disparity(&folder.join(format!("disparity_{number:06}.pfm")), disparity_px)?;
            }
            for (name, map) in fields.features.iter().flat_map(named) {
                let path = folder.join(format!("{name}_{number:06}.pfm"));
                io::write_image(&path, map, &mut Warnings::new())?;
            }
        }
        let (Some(film), Some(image)) = (&mut self.film, image) else { return Ok(()) };
        let tiles = self.scales.tiles(image, fields)?;
        let ([width, height], rgb) = mosaic(&tiles, self.size);
        if let Film::Waiting(path) = film {
            let rate = FrameRate::from_interval_ms(self.interval_ms);
            let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
            *film = Film::Stream(VideoWriter::create(path, shape)?);
        }
        match film {
            Film::Stream(writer) => writer.push(&rgb)?,
            Film::Pictures(folder) => {
                io::write_rgb_png(&folder.join(format!("frame_{number:06}.png")), width, height, &rgb)?;
            }
            Film::Waiting(_) => {}
        }
        Ok(())
    }

    /// Ends the video.
    pub fn finish(self) -> Result<(), VeloxelError> {
        match self.film {
            Some(Film::Stream(writer)) => Ok(writer.finish()?),
            _ => Ok(()),
        }
    }
}

impl Scales {
    /// The frame itself, then one picture an output.
    fn tiles(&mut self, image: &Volume<f32>, fields: &PhaseFields) -> Result<Vec<Vec<u8>>, VeloxelError> {
        let white = image.data().iter().copied().fold(255.0, f32::max);
        let grey = image.data().iter().flat_map(|v| [(255.0 * v / white).round() as u8; 3]);
        let mut tiles = vec![grey.collect()];
        if let Some(flow) = &fields.flow {
            let picture = colour_wheel_rgb(flow, 0, self.flow_px);
            self.flow_px.get_or_insert(picture.scale_vox);
            tiles.push(picture.rgb);
        }
        if let Some(disparity_px) = &fields.disparity_px {
            // A range of all values is sought once.
            self.disparity_px =
                self.disparity_px.or_else(|| ValueRange::of(disparity_px).map(|r| [r.p1, r.p99]));
            tiles.push(disparity_rgb(disparity_px, self.disparity_px).rgb);
        }
        if let Some(maps) = &fields.features {
            tiles.push(orientation_rgb(&maps.orientation_rad, &maps.energy)?.rgb);
        }
        Ok(tiles)
    }
}

/// Pictures of one size in two columns (one picture: one), row by row; a place that is left over is black.
fn mosaic(tiles: &[Vec<u8>], [nx, ny]: [usize; 2]) -> ([usize; 2], Vec<u8>) {
    let columns = tiles.len().min(2);
    let rows = tiles.len().div_ceil(columns);
    let (width, height) = (columns * nx, rows * ny);
    let mut rgb = vec![0; 3 * width * height];
    for (k, tile) in tiles.iter().enumerate() {
        for (y, row) in tile.chunks_exact(3 * nx).enumerate() {
            let at = 3 * (((k / columns) * ny + y) * width + (k % columns) * nx);
            rgb[at..at + 3 * nx].copy_from_slice(row);
        }
    }
    ([width, height], rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pictures_leave_a_black_place() {
        let tile = |v: u8| vec![v; 6];
        let (size, rgb) = mosaic(&[tile(1), tile(2), tile(3)], [2, 1]);
        assert_eq!(size, [4, 2]);
        let row = |k: usize| &rgb[12 * k..12 * k + 12];
        assert_eq!(row(0), [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
        assert_eq!(row(1), [3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0]);
        assert_eq!(mosaic(&[tile(5)], [2, 1]), ([2, 1], tile(5)));
    }
}
