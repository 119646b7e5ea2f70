//! What becomes of the engine's results: fields in a folder, and a video of pictures side by side.

use super::engine::EngineJob;
use super::features::named;
use super::staging::Staging;
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Volume, Warnings};
use veloxel_io as io;
use veloxel_io::{FrameRate, VideoColour, VideoShape, VideoWriter};
use veloxel_motion::PhaseFields;
use veloxel_report::{ValueRange, colour_wheel_rgb, disparity_rgb, orientation_rgb};

/// Where results go.
pub(super) struct Results {
    folder: Option<(PathBuf, Staging)>,
    video: Option<(PathBuf, Film)>,
    interval_ms: Option<f64>,
    size: [usize; 2],
    scales: Scales,
}

/// A video that begins with its first frame, when the number of pictures in it is known.
enum Film {
    Waiting,
    Stream(VideoWriter),
    Pictures(Staging),
}

/// Colours mean the same in every frame.
#[derive(Default)]
struct Scales {
    flow_px: Option<f64>,
    disparity_px: Option<[f64; 2]>,
}

impl Results {
    pub fn new(job: &EngineJob, size: [usize; 2], interval_ms: Option<f64>) -> Result<Self, VeloxelError> {
        let folder = job.folder.as_ref().map(|f| Ok::<_, VeloxelError>((f.clone(), Staging::new(f)?)));
        let video = job.video.as_ref().map(|path| -> Result<_, VeloxelError> {
            // A name without an extension is a folder of pictures.
            let film = match path.extension() {
                None if path != Path::new("-") => Film::Pictures(Staging::new(path)?),
                _ => Film::Waiting,
            };
            Ok((path.clone(), film))
        });
        Ok(Self {
            folder: folder.transpose()?,
            video: video.transpose()?,
            interval_ms,
            size,
            scales: Scales::default(),
        })
    }

    /// Takes what was found for a frame; videos show the frame itself as well.
    pub fn take(
        &mut self,
        number: u64,
        image: Option<&Volume<f32>>,
        fields: &PhaseFields,
    ) -> Result<(), VeloxelError> {
        if let Some((_, staging)) = &self.folder {
            if let Some(flow) = &fields.flow {
                io::write_flow(&staging.path(&format!("flow_{number:06}.flo")), flow)?;
            }
            if let Some(disparity_px) = &fields.disparity_px {
                io::write_disparity(&staging.path(&format!("disparity_{number:06}.pfm")), disparity_px)?;
            }
            for (name, map) in fields.features.iter().flat_map(named) {
                let path = staging.path(&format!("{name}_{number:06}.pfm"));
                io::write_image(&path, map, &mut Warnings::new())?;
            }
        }
        let (Some((path, film)), Some(image)) = (&mut self.video, image) else { return Ok(()) };
        let tiles = self.scales.tiles(image, fields)?;
        let ([width, height], rgb) = mosaic(&tiles, self.size);
        if matches!(film, Film::Waiting) {
            let rate = FrameRate::from_interval_ms(self.interval_ms);
            let shape = VideoShape { width, height, colour: VideoColour::Full, rate };
            *film = Film::Stream(VideoWriter::create(path, shape)?);
        }
        match film {
            Film::Stream(writer) => writer.push(&rgb)?,
            Film::Pictures(staging) => {
                io::write_rgb_png(&staging.path(&format!("frame_{number:06}.png")), width, height, &rgb)?;
            }
            Film::Waiting => {}
        }
        Ok(())
    }

    /// Gives everything its name.
    pub fn finish(self) -> Result<Vec<(&'static str, PathBuf)>, VeloxelError> {
        let mut written = Vec::new();
        if let Some((path, staging)) = self.folder {
            staging.publish()?;
            written.push(("fields", path));
        }
        if let Some((path, film)) = self.video {
            match film {
                Film::Stream(writer) => writer.finish()?,
                Film::Pictures(staging) => staging.publish()?,
                Film::Waiting => {}
            }
            written.push(("video", path));
        }
        Ok(written)
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
