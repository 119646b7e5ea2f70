//! Pictures as a viewer shows them: how a file says that its rows and columns lie, and the same pixels turned.
//!
//! *Specification*: Adobe, "TIFF Revision 6.0", 1992 (Orientation); CIPA DC-008, "Exif", 2023, for the block of tags in other formats.
//! *Rule*: TIFF's own tag is applied. Cameras write EXIF into JPEG and PNG, and programs that change pictures often leave it behind: it
//! is told, and applied where that is asked for ([`ReadOptions::orient`](crate::ReadOptions)).

use super::context::Context;
use super::element::ByteOrder;
use super::luminance::{Picture, Samples};
use crate::error::Result;
use veloxel_core::{Grid, Hint, WarningKind};

/// How pictures lie whose first row is shown at the top and whose first column is shown at the left.
pub(crate) const UPRIGHT: u16 = 1;
/// How other pictures lie.
const TURNED: std::ops::RangeInclusive<u16> = 2..=8;
/// How pictures lie whose rows are shown as columns.
const SWAPPED: std::ops::RangeInclusive<u16> = 5..=8;
/// The tag of the orientation.
const ORIENTATION: u64 = 274;

/// The grid of a picture as it is shown.
pub(crate) fn shown_grid([nx, ny, _]: [usize; 3], orientation: u16, context: &Context) -> Result<Grid> {
    if SWAPPED.contains(&orientation) { context.picture_grid(ny, nx) } else { context.picture_grid(nx, ny) }
}

/// The pixels of a picture as a viewer shows them: its first row at the top, its first column at the left.
pub(crate) fn turned(picture: Picture, orientation: u16, context: &mut Context) -> Result<Picture> {
    if !TURNED.contains(&orientation) {
        return Ok(picture);
    }
    let size = picture.grid.size();
    let grid = shown_grid(size, orientation, context)?;
    let turn = Turn { stored: [size[0], size[1]], orientation };
    let samples = match picture.samples {
        Samples::Floats(samples) => Samples::Floats(turn.of(&samples, picture.channels.count(), context)?),
        Samples::Bytes(samples) => Samples::Bytes(turn.of(&samples, picture.channels.count(), context)?),
        Samples::Words(samples) => {
            Samples::Words(turn.of(&samples, 2 * picture.channels.count(), context)?)
        }
    };
    context.note(
        WarningKind::Header,
        format!("its orientation ({orientation}) was applied: the picture is upright"),
    );
    Ok(Picture { grid, samples, ..picture })
}

/// How EXIF's orientation counts for a picture: as it says where that is asked for; else it is told, and the picture read as it is
/// stored.
pub(crate) fn of_exif(orientation: u16, context: &mut Context) -> u16 {
    if !TURNED.contains(&orientation) {
        return UPRIGHT;
    }
    if context.reading.options.orient {
        return orientation;
    }
    let text = format!(
        "its EXIF data say that it is shown turned (orientation {orientation}): it is read as it is stored"
    );
    context.note_with_hint(WarningKind::Header, Hint::Orientation, text);
    UPRIGHT
}

/// The orientation that a block of EXIF data holds, which is laid out as a TIFF file; 1 where it says none.
pub(crate) fn in_exif(block: &[u8]) -> u16 {
    found(block).and_then(|found| u16::try_from(found).ok()).unwrap_or(UPRIGHT)
}

fn found(block: &[u8]) -> Option<u64> {
    let order = match block.get(..4)? {
        b"II*\0" => ByteOrder::Little,
        b"MM\0*" => ByteOrder::Big,
        _ => return None,
    };
    let number = |at: usize, bytes: usize| Some(order.number(block.get(at..at.checked_add(bytes)?)?));
    let directory = usize::try_from(number(4, 4)?).ok()?;
    let begin = directory.checked_add(2)?;
    let mut entries = (0..number(directory, 2)? as usize).map_while(|nth| begin.checked_add(12 * nth));
    let entry = entries.find(|&at| number(at, 2) == Some(ORIENTATION))?;
    number(entry.checked_add(8)?, 2)
}

/// A picture that is turned.
struct Turn {
    /// Columns and rows as they are stored.
    stored: [usize; 2],
    orientation: u16,
}

impl Turn {
    /// The pixels in the order in which they are shown; each is so many values.
    fn of<T: Copy>(&self, pixels: &[T], values: usize, context: &Context) -> Result<Vec<T>> {
        let ([nx, ny], orientation) = (self.stored, self.orientation);
        let is_swapped = SWAPPED.contains(&orientation);
        let size = if is_swapped { [ny, nx] } else { [nx, ny] };
        // Where the first row and the first column of the file are shown.
        let from_right = matches!(orientation, 2 | 3 | 6 | 7);
        let from_bottom = matches!(orientation, 3 | 4 | 7 | 8);
        let mut shown = context.room_for(pixels.len())?;
        for y in 0..size[1] {
            let y = if from_bottom { size[1] - 1 - y } else { y };
            for x in 0..size[0] {
                let x = if from_right { size[0] - 1 - x } else { x };
                let [column, row] = if is_swapped { [y, x] } else { [x, y] };
                let begin = (row * nx + column) * values;
                shown.extend_from_slice(&pixels[begin..begin + values]);
            }
        }
        Ok(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::read::luminance::Channels;
    use crate::read::reading::{AlphaUse, ReadOptions, Reading};
    use std::path::{Path, PathBuf};
    use veloxel_core::{Volume, Warnings};

    #[test]
    fn exif_of_both_byte_orders_says_how_a_picture_lies() {
        let little =
            b"II*\0\x08\0\0\0\x02\0\x00\x01\x03\0\x01\0\0\0\x05\0\0\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0";
        assert_eq!(in_exif(little), 6);
        let big = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0";
        assert_eq!(in_exif(big), 8);
        for length in 0..big.len() - 2 {
            assert_eq!(in_exif(&big[..length]), UPRIGHT, "{length}");
        }
        assert_eq!(in_exif(b"MM\0*\xff\xff\xff\xff\0\0"), UPRIGHT);
    }

    const BIG: [u8; 24] = *b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0";

    /// A picture of 16 × 8, of which the left half is bright, with EXIF data that turn it by a quarter.
    fn with_exif(extension: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("a.{extension}"));
        let samples = (0..128).map(|nth| if nth % 16 < 8 { 200.0 } else { 40.0 }).collect();
        let image = Volume::new(Grid::image(16, 8).unwrap(), samples).unwrap();
        crate::write_image(&path, &image, &mut Warnings::new()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let (at, segment) = match extension {
            "png" => {
                let named = [b"eXIf", &BIG[..]].concat();
                let mut sum = flate2::Crc::new();
                sum.update(&named);
                let length = (BIG.len() as u32).to_be_bytes();
                (33, [&length[..], &named, &sum.sum().to_be_bytes()].concat())
            }
            _ => {
                let length = (2 + 6 + BIG.len() as u16).to_be_bytes();
                (2, [&[0xff, 0xe1], &length[..], b"Exif\0\0", &BIG].concat())
            }
        };
        [&bytes[..at], &segment, &bytes[at..]].concat()
    }

    #[test]
    fn exif_is_told_or_applied_in_pictures_of_both_formats() {
        for extension in ["png", "jpg"] {
            let bytes = with_exif(extension);
            let path = PathBuf::from(format!("a.{extension}"));
            let read = |orient: bool| {
                let reading = Reading::alone(ReadOptions { orient, ..ReadOptions::default() });
                let mut warnings = Warnings::new();
                let content = crate::read_bytes(&path, &bytes, reading, &mut warnings).unwrap();
                let said: Vec<String> = warnings.iter().map(|w| w.message.clone()).collect();
                let Content::Image(image) = content else { panic!("{extension}") };
                (image, said.concat(), warnings.iter().find_map(|w| w.hint))
            };
            let (stored, said, hint) = read(false);
            assert_eq!(stored.grid().size(), [16, 8, 1], "{extension}");
            assert!(said.contains("orientation 6") && hint == Some(Hint::Orientation), "{said}");
            // The first row is shown at the right, the first column at the top.
            let (shown, said, _) = read(true);
            assert_eq!(shown.grid().size(), [8, 16, 1], "{extension}");
            assert!(shown.data()[..64].iter().all(|v| (v - 200.0).abs() < 4.0), "{extension}");
            assert!(shown.data()[64..].iter().all(|v| (v - 40.0).abs() < 4.0), "{extension}");
            assert!(said.contains("was applied"), "{said}");
        }
    }

    #[test]
    fn opacity_is_turned_with_its_picture() {
        let grid = Grid::image(2, 1).unwrap();
        let samples = Samples::Bytes(vec![10, 0, 20, 255]);
        let picture = Picture { grid, channels: Channels::GreyAlpha, opaque: 255.0, samples };
        let mut warnings = Warnings::new();
        let reading = Reading::alone(ReadOptions { alpha: AlphaUse::NoData, ..ReadOptions::default() });
        let mut context = Context::new(Path::new("a.tif"), reading, &mut warnings);
        let shown = turned(picture, 2, &mut context).unwrap().into_luminance(&mut context).unwrap();
        assert!(shown.data()[0] == 20.0 && shown.data()[1].is_nan(), "{:?}", shown.data());
    }
}
