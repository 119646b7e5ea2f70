//! Pictures of a texture that moves.

use std::path::{Path, PathBuf};
use veloxel::io::{self, FrameRate, Strictness, VideoColour, VideoShape, VideoWriter};
use veloxel::report::MapPicture;
use veloxel::{Grid, Volume, Warnings};

/// `(nx, ny)` of every picture.
pub const SIZE: [usize; 2] = [96, 72];

/// A texture, its content so many pixels to the right of where it was, in 8 bits.
pub fn texture(shift_px: f32) -> Volume<f32> {
    let grid = Grid::image(SIZE[0], SIZE[1]).unwrap();
    Volume::from_fn(grid, |[x, y, _]| {
        let (x, y) = (x as f32 - shift_px, y as f32);
        let waves = (0.61 * x + 0.23 * y).sin() + (0.29 * x - 0.47 * y).sin() + (0.13 * x + 0.11 * y).cos();
        (128.0 + 40.0 * waves).round()
    })
}

/// Writes such a picture.
pub fn write(folder: &Path, name: &str, shift_px: f32) -> PathBuf {
    let path = folder.join(name);
    io::write_image(&path, &texture(shift_px), &mut Warnings::new()).unwrap();
    path
}

/// What a job reads of it.
pub fn read(path: &Path) -> Volume<f32> {
    io::read_image(path, Strictness::Lenient, &mut Warnings::new()).unwrap()
}

/// Writes a video of pictures, as a job does whose frames come without a rate.
pub fn write_video(path: &Path, pictures: &[MapPicture]) {
    let &MapPicture { width, height, .. } = &pictures[0];
    let shape =
        VideoShape { width, height, colour: VideoColour::Full, rate: FrameRate::from_interval_ms(None) };
    let mut video = VideoWriter::create(path, shape).unwrap();
    pictures.iter().for_each(|picture| video.push(&picture.rgb).unwrap());
    video.finish().unwrap();
}
