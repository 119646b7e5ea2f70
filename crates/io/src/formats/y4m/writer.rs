//! Y4M written: grey as `mono`, colour as 4:4:4 or 4:2:0.
//!
//! Colour by ITU-R BT.601 in video range (Y 16..235, Cb and Cr 16..240), which is what players take an unmarked stream
//! for. Grey goes as it stands, 0..255. The header's tag says so.

use crate::error::{IoError, Result};
use crate::write::target::Target;
use crate::write::video::{FrameRate, VideoColour, VideoEncoder, VideoShape};
use crate::write::whole_file::WholeFile;
use std::io::{BufWriter, Stdout, Write};
use std::path::Path;

/// Begins a file.
pub(super) fn create(target: &Target, shape: VideoShape) -> Result<Box<dyn VideoEncoder>> {
    let writer = Y4mWriter::new(WholeFile::create(target)?, shape).map_err(target.fail())?;
    Ok(Box::new(writer))
}

/// Begins a stream on standard output.
pub(crate) fn write_to_pipe(shape: VideoShape) -> std::io::Result<Box<dyn VideoEncoder>> {
    let out = BufWriter::with_capacity(1 << 18, std::io::stdout());
    Ok(Box::new(Y4mWriter::new(out, shape)?))
}

impl VideoEncoder for Y4mWriter<WholeFile> {
    fn push(&mut self, samples: &[u8]) -> std::io::Result<()> {
        self.write_frame(samples)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.out.commit()
    }
}

impl VideoEncoder for Y4mWriter<BufWriter<Stdout>> {
    fn push(&mut self, samples: &[u8]) -> std::io::Result<()> {
        // Whoever watches wants to see a frame when it is there.
        self.write_frame(samples).and_then(|()| self.out.flush())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.out.flush().map_err(IoError::write(Path::new("-")))
    }
}

/// A stream behind its header.
struct Y4mWriter<W> {
    out: W,
    shape: VideoShape,
    planes: [Vec<u8>; 3],
}

impl<W: Write> Y4mWriter<W> {
    fn new(mut out: W, shape: VideoShape) -> std::io::Result<Self> {
        let VideoShape { width, height, colour, rate } = shape;
        let (space, range) = match colour {
            VideoColour::Grey => ("mono", "FULL"),
            VideoColour::Full => ("444", "LIMITED"),
            VideoColour::Half => ("420jpeg", "LIMITED"),
        };
        let FrameRate { frames, seconds } = rate;
        writeln!(
            out,
            "YUV4MPEG2 W{width} H{height} F{frames}:{seconds} Ip A1:1 C{space} XCOLORRANGE={range}"
        )?;
        Ok(Self { out, shape, planes: Default::default() })
    }

    /// One frame: a byte a pixel, or three (red, green, blue); the length was checked.
    fn write_frame(&mut self, samples: &[u8]) -> std::io::Result<()> {
        self.out.write_all(b"FRAME\n")?;
        if self.shape.colour == VideoColour::Grey {
            return self.out.write_all(samples);
        }
        self.planes.iter_mut().for_each(Vec::clear);
        for rgb in samples.as_chunks::<3>().0 {
            for (plane, value) in self.planes.iter_mut().zip(ycbcr(rgb.map(f32::from))) {
                plane.push(value.round() as u8);
            }
        }
        let [luma, blue, red] = &self.planes;
        self.out.write_all(luma)?;
        for chroma in [blue, red] {
            match self.shape.colour {
                VideoColour::Half => {
                    self.out.write_all(&halved(chroma, [self.shape.width, self.shape.height]))?;
                }
                _ => self.out.write_all(chroma)?,
            }
        }
        Ok(())
    }
}

fn ycbcr([r, g, b]: [f32; 3]) -> [f32; 3] {
    let luma = 0.299 * r + 0.587 * g + 0.114 * b;
    [
        16.0 + luma * (219.0 / 255.0),
        128.0 + (b - luma) * (112.0 / 255.0 / (1.0 - 0.114)),
        128.0 + (r - luma) * (112.0 / 255.0 / (1.0 - 0.299)),
    ]
}

/// The mean of every block of 2 × 2; at odd borders of what is there.
fn halved(plane: &[u8], [width, height]: [usize; 2]) -> Vec<u8> {
    let mut half = Vec::with_capacity(width.div_ceil(2) * height.div_ceil(2));
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let (right, below) = ((x + 1).min(width - 1), (y + 1).min(height - 1));
            let at = |x: usize, y: usize| u16::from(plane[y * width + x]);
            half.push(((at(x, y) + at(right, y) + at(x, below) + at(right, below) + 2) / 4) as u8);
        }
    }
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(colour: VideoColour, samples: &[u8]) -> Vec<u8> {
        let rate = FrameRate { frames: 25, seconds: 1 };
        let mut writer =
            Y4mWriter::new(Vec::new(), VideoShape { width: 3, height: 1, colour, rate }).unwrap();
        writer.write_frame(samples).unwrap();
        writer.out
    }

    #[test]
    fn colours_are_those_of_the_standard() {
        let rgb = [255, 255, 255, 0, 0, 0, 255, 0, 0];
        let bytes = written(VideoColour::Full, &rgb);
        let header = b"YUV4MPEG2 W3 H1 F25:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\nFRAME\n";
        assert_eq!(&bytes[..header.len()], header);
        assert_eq!(bytes[header.len()..], [235, 16, 81, 128, 128, 90, 128, 128, 240]);
        let half = written(VideoColour::Half, &rgb);
        assert_eq!(half[half.len() - 7..], [235, 16, 81, 128, 90, 128, 240]);
        assert!(
            written(VideoColour::Grey, &[1, 2, 3]).ends_with(b"Cmono XCOLORRANGE=FULL\nFRAME\n\x01\x02\x03")
        );
    }
}
