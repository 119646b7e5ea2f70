//! Frames of what has no end of its own: a camera, an address.

use super::{FilmReader, FilmSource, shown_source};
use crate::content::Content;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::input::Input;
use crate::read::stream::chosen::read_chosen;
use veloxel_core::Warnings;

/// Frames of a camera or an address: so many as are asked for.
pub(crate) fn read_live(live: &FilmSource, input: &Input, context: &mut Context) -> Result<Content> {
    let has_end = input.frames.is_some_and(|frames| frames.numbers().is_some());
    let hint = "name so many frames behind an @ (@0:10 are ten), or take them as a stream";
    let (name, mut warnings) = (shown_source(&input.path), Warnings::new());
    if !has_end {
        let what = "all frames of a camera or an address, which may have no end,";
        return Err(IoError::unsupported(&name, what, hint));
    }
    let mut shown = Context::new(&name, context.reading.clone(), &mut warnings);
    let own = Input { path: name.clone(), ..input.clone() };
    let content =
        FilmReader::open(live, &mut shown).and_then(|reader| read_chosen(Box::new(reader), &own, &mut shown));
    let content = shown.settled(content);
    context.pass_on(warnings);
    content
}
