//! Plain texts of `x y` lines, one outline a file, whose names say where they belong.
//!
//! `IM-0001-0181-icontour-auto.txt` (Sunnybrook): image 181 of its series, the inner outline. `P09-0022-ocontour-manual.txt`
//! (RVSC): the image `P09-0022.dcm`, the outer outline. Other names must contain the structure: `endo_frame3_slice7.txt`.
//! A name becomes a slice and a frame by the file of the cine that has it. Where the files are named in another way, the number of
//! Sunnybrook's names is an instance number of theirs; without such files it counts all frames of a slice, then all of the next
//! one, the slices of the cine upwards or downwards. RVSC's names are those of files and nothing else (image 20 of patient 09 has
//! the instance number 21): without files of such names they are refused. Where each text went is told.

use super::collection::Collection;
use super::spot::Spot;
use super::{CinePlace, ContourReading, MOST_BYTES};
use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::read::context::Context;
use crate::read::take_text;
use crate::tables::cine_place::{CineImage, CineSpot};
use crate::text::rows::Rows;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use veloxel_core::{Hint, Structure, Warnings};

/// In which order the slices of a cine are numbered by the names of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOrder {
    /// The first number is slice 0.
    Ascending,
    /// The first number is the last slice.
    Descending,
}

impl FromStr for TextOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ascending" => Ok(Self::Ascending),
            "descending" => Ok(Self::Descending),
            _ => Err("expected ascending or descending".to_owned()),
        }
    }
}

/// What an inner outline (`icontour`) encloses; an outer one (`ocontour`) adds the muscle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerContour {
    /// The left ventricle.
    Lv,
    /// The right ventricle.
    Rv,
}

/// What the names of plain texts mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlainNames {
    /// The order of slices; none: it must be clear from the cine.
    pub order: Option<TextOrder>,
    /// What inner outlines enclose; none: the right ventricle for RVSC's names (`P09-…`), else the left one.
    pub inner: Option<InnerContour>,
}

/// Texts of a folder.
const MOST_FILES: usize = 20_000;

/// What a file's name says.
#[derive(Debug, Clone, PartialEq)]
struct Name {
    structure: Structure,
    /// The image: its file's stem, and its number.
    image: Option<(String, i64)>,
    /// Whether the number counts files alone, as RVSC's do, and no instances.
    counts_files: bool,
    frame: Option<usize>,
    slice: Option<usize>,
}

pub(super) fn read_folder(folder: &Path, options: &ContourReading, into: &mut Collection) -> Result<()> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(IoError::open(folder))? {
        let path = entry.map_err(IoError::open(folder))?.path();
        let name = file_name(&path).to_lowercase();
        if name.ends_with(".txt") && !name.starts_with('.') && path.is_file() {
            paths.push(path);
        }
        let expected = format!("at most {MOST_FILES} texts of outlines");
        into.context.require(paths.len() <= MOST_FILES, "the folder", expected, "more")?;
    }
    paths.sort();
    let (mut unnamed, mut unplaced, mut elsewhere) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let Some(name) = Name::of(&path, options.names.inner) else {
            unnamed.push(path);
            continue;
        };
        match name.spot(options, into)? {
            Some(spot) => {
                into.tell(&file_name(&path), spot);
                into.add(spot, points(&path, options)?)?;
            }
            None if name.is_of_a_file(into) => unplaced.push(path),
            None => elsewhere.push(path),
        }
    }
    let left_out = [
        (unnamed, "texts are named like no outline"),
        (
            unplaced,
            "outlines are of images beside the cine (a slice needs as many frames as the others, and the same series)",
        ),
        (elsewhere, "outlines are of images that are not in the cine"),
    ];
    for (paths, what) in left_out {
        if let Some(first) = paths.first() {
            let (count, first) = (paths.len(), file_name(first));
            into.leave_out(format!("{count} {what} and were left out, {first} among them"));
        }
    }
    Ok(())
}

pub(super) fn read_file(path: &Path, options: &ContourReading, into: &mut Collection) -> Result<()> {
    let expected = "a structure and a place, such as endo_frame0_slice7.txt or IM-0001-0181-icontour.txt";
    let name = Name::of(path, options.names.inner)
        .ok_or_else(|| into.context.malformed("the name of a text of points", expected, file_name(path)))?;
    let spot = name.spot(options, into)?;
    let spot = spot.ok_or_else(|| {
        into.context.malformed("the image of the outline", "one of the cine", file_name(path))
    })?;
    into.tell(&file_name(path), spot);
    into.add(spot, points(path, options)?)
}

/// The points of a text, two numbers a line.
fn points(path: &Path, options: &ContourReading) -> Result<Vec<[f64; 2]>> {
    let mut unsaid = Warnings::new();
    let context = Context::new(path, options.reading.clone(), &mut unsaid);
    let text = take_text(MOST_BYTES, &context)?;
    let mut rows = Rows::new(&text, &['#'], &context)?;
    let (comma, mut points, mut is_first) = (rows.comma(), Vec::new(), true);
    while let Some(row) = rows.next(&context)? {
        if std::mem::take(&mut is_first) && row.is_head() {
            let names = row.cells.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>();
            let is_known = matches!(&names[..], [x, y] if x.starts_with('x') && y.starts_with('y'));
            context.require(
                is_known,
                format!("line {}", row.number),
                "the names x and y, or numbers",
                row.told(),
            )?;
            continue;
        }
        let numbers: Option<Vec<f64>> =
            row.cells.iter().filter(|cell| !cell.is_empty()).map(|cell| comma.number(cell)).collect();
        let Some(&[x, y]) = numbers.as_deref() else {
            return Err(context.malformed(format!("line {}", row.number), "two numbers", row.told()));
        };
        points.push([x, y]);
    }
    Ok(points)
}

impl Name {
    fn of(path: &Path, inner: Option<InnerContour>) -> Option<Self> {
        let stem = path.file_stem()?.to_string_lossy().into_owned();
        let words: Vec<&str> = stem.split(['-', '_', '.', ' ']).collect();
        let contour =
            words.iter().position(|w| ["icontour", "ocontour"].contains(&w.to_lowercase().as_str()));
        if let Some(nth) = contour.filter(|&nth| nth > 0) {
            let is_inner = words[nth].starts_with(['i', 'I']);
            let is_rvsc = words[0]
                .strip_prefix('P')
                .is_some_and(|d| d.len() == 2 && d.bytes().all(|b| b.is_ascii_digit()));
            let is_rv = inner.map_or(is_rvsc, |inner| inner == InnerContour::Rv);
            let structure = match (is_inner, is_rv) {
                (true, false) => Structure::Endo,
                (false, false) => Structure::Epi,
                (true, true) => Structure::Rv,
                (false, true) => Structure::RvEpi,
            };
            let number = words[nth - 1].parse().ok()?;
            // The stem of the image is all before the word.
            let length = words[..nth].iter().map(|w| w.len() + 1).sum::<usize>() - 1;
            let image = Some((stem[..length].to_owned(), number));
            return Some(Self { structure, image, counts_files: is_rvsc, frame: None, slice: None });
        }
        let after = |word: &str| {
            let found = words.iter().find_map(|w| w.to_lowercase().strip_prefix(word)?.parse().ok());
            let place = || words.iter().position(|w| w.eq_ignore_ascii_case(word));
            found.or_else(|| words.get(place()? + 1)?.parse().ok())
        };
        let structure = words.iter().find_map(|w| w.parse::<Structure>().ok());
        let pair = || words.windows(2).find_map(|w| w.concat().parse::<Structure>().ok());
        let frame = after("frame").or_else(|| after("phase"));
        let structure = pair().or(structure)?;
        Some(Self { structure, image: None, counts_files: false, frame, slice: after("slice") })
    }

    /// Whether its image lies in the folder of the cine, of which it may still be no part.
    fn is_of_a_file(&self, into: &Collection) -> bool {
        let (Some((stem, number)), Some(place)) = (&self.image, into.place()) else { return false };
        place.images.iter().any(|image| is_like(image, stem) && numbered(&image.stem).1 == Some(*number))
    }

    /// Where it belongs; none if its image is not in the cine.
    fn spot(&self, options: &ContourReading, into: &Collection) -> Result<Option<Spot>> {
        let structure = self.structure;
        let Some((stem, number)) = &self.image else {
            let slices = into.place().map_or(1, |place| place.grid.size()[2]);
            if self.slice.is_none() && slices > 1 {
                let expected = "the slice, as in endo_frame0_slice7.txt";
                let got = format!("{slices} slices, and none named");
                return Err(into.context.malformed("the name of a text of points", expected, got));
            }
            let (frame, slice) = (self.frame.unwrap_or(options.frame), self.slice.unwrap_or(0));
            return Ok(Some(Spot { structure, frame, slice }));
        };
        let place = into.require_place("a folder of numbered texts")?;
        if self.counts_files && !has_names_like(place, stem) {
            let expected = format!("a file of the cine with that name, such as {stem}.dcm");
            let got = match place.images.first() {
                Some(image) => {
                    format!("files named otherwise, {} among them: give them their names back", image.stem)
                }
                None => "a cine that is not made of such files".to_owned(),
            };
            return Err(into.context.malformed(format!("the image of the outline {stem}"), expected, got));
        }
        let has_instances = place.images.iter().any(|image| image.instance.is_some());
        if has_instances || has_names_like(place, stem) {
            let found = image_of(place, stem, *number, into)?;
            return Ok(found.map(|CineSpot { slice, frame }| Spot { structure, frame, slice }));
        }
        let found = in_order(place, *number, options.names.order, into)?;
        Ok(found.map(|[slice, frame]| Spot { structure, frame, slice }))
    }
}

/// Where the image of an outline lies: by the name of its file, or else by its instance number, which is not tried where the files
/// of the cine have names of the outline's kind. None in both cases where there is no such image; an error where there are several.
fn image_of(place: &CinePlace, stem: &str, number: i64, into: &Collection) -> Result<Option<CineSpot>> {
    let is_of_names = has_names_like(place, stem);
    let is_own = |image: &&CineImage| match is_of_names {
        true => is_like(image, stem) && numbered(&image.stem).1 == Some(number),
        false => image.instance == Some(number),
    };
    let found: Vec<&CineImage> = place.images.iter().filter(is_own).collect();
    let (what, by) = ("the image of the outline", if is_of_names { "name" } else { "instance number" });
    let (expected, got) = (format!("one of that {by}"), format!("{} for {stem}", found.len()));
    into.context.require(found.len() < 2, what, expected, got)?;
    Ok(found.first().and_then(|image| image.spot))
}

/// Whether files of a cine are named as an outline's image is: the same but for the number at the end.
fn has_names_like(place: &CinePlace, stem: &str) -> bool {
    place.images.iter().any(|image| is_like(image, stem) && numbered(&image.stem).1.is_some())
}

fn is_like(image: &CineImage, stem: &str) -> bool {
    numbered(&image.stem).0.eq_ignore_ascii_case(numbered(stem).0)
}

/// A name in two: what comes before the digits at its end, and their number.
fn numbered(stem: &str) -> (&str, Option<i64>) {
    let (kind, digits) = stem.split_at(stem.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    (kind, digits.parse().ok())
}

/// Slice and frame of a number counted from 1 over a cine without numbers of its own.
fn in_order(
    place: &CinePlace,
    number: i64,
    order: Option<TextOrder>,
    into: &Collection,
) -> Result<Option<[usize; 2]>> {
    let slices = place.grid.size()[2];
    if order.is_none() && slices > 1 {
        let hint = "say whether they begin at slice 0 (ascending) or at the last one (descending)";
        let what = "a folder of texts numbered over several slices";
        return Err(into.context.unsupported(what, hint).about(Hint::TextOrder));
    }
    let Ok(index) = usize::try_from(number - 1) else { return Ok(None) };
    let (nth, frame) = (index / place.frames, index % place.frames);
    if nth >= slices {
        return Ok(None);
    }
    let slice = if order == Some(TextOrder::Descending) { slices - 1 - nth } else { nth };
    Ok(Some([slice, frame]))
}
