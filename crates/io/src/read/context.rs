//! The context of a reader: the file's name, how it is read, the memory that it claims, and the warnings.

use crate::error::{IoError, Result};
use crate::files::Files;
use crate::read::budget::Claim;
use crate::read::reading::{AlphaUse, Reading, Strictness};
use crate::text::quotation::told;
use std::cell::RefCell;
use std::path::Path;
use veloxel_core::{
    Control, CoreError, Grid, Hint, Mask, Sequence, Volume, Warning, WarningKind, Warnings, fallible,
};

/// The file's name, how to read it, the memory claimed for it, and where warnings go.
pub(crate) struct Context<'a> {
    pub path: &'a Path,
    pub reading: Reading,
    claim: RefCell<Claim>,
    warnings: &'a mut Warnings,
    /// Whether an alpha channel that is not opaque everywhere becomes a mask; else it is dropped, with a warning.
    alpha_is_mask: bool,
    mask: Option<Mask>,
    /// Whether colours are kept beside the luminance that they become.
    keeps_colours: bool,
    colours: Option<[Vec<f32>; 3]>,
}

impl<'a> Context<'a> {
    pub fn new(path: &'a Path, reading: impl Into<Reading>, warnings: &'a mut Warnings) -> Self {
        let reading = reading.into();
        let claim = RefCell::new(reading.files.budget().claim());
        Self {
            path,
            reading,
            claim,
            warnings,
            alpha_is_mask: false,
            mask: None,
            keeps_colours: false,
            colours: None,
        }
    }

    /// Asks whether to go on: between blocks of samples, rows, frames or files.
    ///
    /// # Errors
    /// [`IoError::Stopped`].
    pub fn check(&self) -> Result<()> {
        Ok(self.control().check()?)
    }

    /// What the readers of the session share.
    pub fn files(&self) -> &Files {
        &self.reading.files
    }

    /// Whom to ask whether to go on.
    pub fn control(&self) -> &Control {
        self.reading.files.control()
    }

    /// What a reader came to: after a stop its failure is the stop, whatever a decoder made of the bytes that it did not get.
    pub fn settled<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|error| self.reading.files.stopped().unwrap_or(error))
    }

    /// Claims bytes until the reader is done.
    ///
    /// # Errors
    /// [`IoError::Memory`] beyond the budget.
    pub fn claim(&self, bytes: u64) -> Result<()> {
        self.enlarge(&mut self.claim.borrow_mut(), bytes)
    }

    /// Claims bytes for as long as the result lives.
    ///
    /// # Errors
    /// [`IoError::Memory`] beyond the budget.
    pub fn scratch(&self, bytes: u64) -> Result<Claim> {
        let mut claim = self.no_claim();
        self.enlarge(&mut claim, bytes)?;
        Ok(claim)
    }

    /// Adds to a claim.
    ///
    /// # Errors
    /// [`IoError::Memory`] beyond the budget.
    pub fn enlarge(&self, claim: &mut Claim, bytes: u64) -> Result<()> {
        claim.add(bytes, self.reading.options.max_decode_bytes, self.path)
    }

    /// A claim of no byte yet, to be enlarged.
    pub(crate) fn no_claim(&self) -> Claim {
        self.reading.files.budget().claim()
    }

    /// An empty vector with room for `count` values, within the budget.
    ///
    /// # Errors
    /// [`IoError::Memory`] beyond it, or where the system has less than it said.
    pub fn room_for<T>(&self, count: usize) -> Result<Vec<T>> {
        let needed_bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
        self.claim(needed_bytes)?;
        let refused = || IoError::Memory { needed_bytes, budget_bytes: 0, path: self.path.to_owned() };
        fallible::room_for(count).ok_or_else(refused)
    }

    /// Everything that was claimed, for what outlives this context.
    pub(crate) fn into_claim(self) -> Claim {
        self.claim.into_inner()
    }

    /// A header that cannot be taken as it stands: a warning with what is assumed, or the end if strict.
    pub(crate) fn assume(&mut self, assumption: impl Into<String>) -> Result<()> {
        let assumption = assumption.into();
        match self.reading.options.strictness {
            Strictness::Lenient => {
                self.note(WarningKind::Header, assumption);
                Ok(())
            }
            Strictness::Strict => {
                Err(IoError::Strict { assumption: told(&assumption), path: self.path.to_owned() })
            }
        }
    }

    /// Something to know that is no fault of the header.
    pub fn note(&mut self, kind: WarningKind, message: impl AsRef<str>) {
        self.note_with_details(kind, message, Vec::new());
    }

    /// Says what was assumed, with the input or option that it is about.
    pub(crate) fn note_with_hint(&mut self, kind: WarningKind, hint: Hint, message: impl AsRef<str>) {
        let message = format!("{}: {}", self.path.display(), told(message.as_ref()));
        self.warnings.push_with_hint(kind, hint, message);
    }

    /// Says what was assumed of many things in one sentence, and each of them one by one.
    pub(crate) fn note_with_details(
        &mut self,
        kind: WarningKind,
        message: impl AsRef<str>,
        details: Vec<String>,
    ) {
        let message = format!("{}: {}", self.path.display(), told(message.as_ref()));
        self.warnings.add(Warning { details, ..Warning::new(kind, message) });
    }

    /// A time between frames, where it is one that a sequence can have; of any other a note says that it counts as unknown.
    pub(crate) fn frame_interval_ms(&mut self, interval_ms: f64) -> Option<f64> {
        if Sequence::INTERVALS_MS.contains(&interval_ms) {
            return Some(interval_ms);
        }
        let text = format!("a frame interval of {interval_ms:e} ms is not possible: it counts as unknown");
        self.note(WarningKind::Header, text);
        None
    }

    /// Takes over what was said while another file was read.
    pub(crate) fn pass_on(&mut self, warnings: Warnings) {
        self.warnings.extend(warnings);
    }

    /// From now on an alpha channel becomes a mask.
    #[must_use]
    pub(crate) fn masked_by_alpha(self) -> Self {
        Self { alpha_is_mask: true, ..self }
    }

    /// From now on colours are kept.
    #[must_use]
    pub(crate) fn keeping_colours(self) -> Self {
        Self { keeps_colours: true, ..self }
    }

    /// Whether colours are kept.
    pub(crate) fn keeps_colours(&self) -> bool {
        self.keeps_colours
    }

    /// Keeps the channels of a picture, red, green and blue from 0 to 255.
    pub(crate) fn keep_colours(&mut self, colours: [Vec<f32>; 3]) {
        self.colours = Some(colours);
    }

    /// The colours that were kept.
    pub(crate) fn take_colours(&mut self) -> Option<[Vec<f32>; 3]> {
        self.colours.take()
    }

    /// Whether transparent pixels are left out one way or the other.
    #[cfg(feature = "gif")]
    pub(crate) fn takes_alpha(&self) -> bool {
        self.alpha_is_mask || self.reading.options.alpha == AlphaUse::NoData
    }

    /// Takes an alpha channel that is not opaque everywhere: which pixels show anything at all. True where those that do not have to
    /// be left without data.
    pub fn alpha(&mut self, grid: &Grid, is_seen: impl Iterator<Item = bool>) -> Result<bool> {
        if !self.alpha_is_mask && self.reading.options.alpha == AlphaUse::NoData {
            let (mut count, mut hidden) = (0usize, 0usize);
            is_seen.for_each(|seen| {
                count += 1;
                hidden += usize::from(!seen);
            });
            let percent = 100.0 * hidden as f64 / count as f64;
            let message = format!(
                "{percent:.1} % of the pixels are transparent and have no data, all others count in full"
            );
            self.note(WarningKind::Samples, message);
            return Ok(hidden > 0);
        }
        if !self.alpha_is_mask {
            let message = "the alpha channel is not opaque everywhere and was dropped";
            self.note(WarningKind::Samples, message);
            return Ok(false);
        }
        let seen: Vec<bool> = is_seen.collect();
        let hidden = seen.iter().filter(|seen| !**seen).count();
        let percent = 100.0 * hidden as f64 / seen.len() as f64;
        self.mask = Some(Mask::new(grid.clone(), seen).map_err(IoError::core(self.path))?);
        self.note(
            WarningKind::Samples,
            format!(
                "alpha is a mask: {percent:.1} % of the pixels are transparent and do not count, all others in full"
            ),
        );
        // What colour they are says nothing, at their edges neither.
        Ok(hidden > 0)
    }

    /// The mask that the alpha channel became.
    pub(crate) fn take_mask(&mut self) -> Option<Mask> {
        self.mask.take()
    }

    /// Notes that bytes after the content, if there are any, were ignored; their number is none if it is unknown.
    pub fn trailing(&mut self, bytes: Option<u64>) {
        if bytes == Some(0) {
            return;
        }
        let count = bytes.map_or_else(|| "bytes".to_owned(), |n| format!("{n} bytes"));
        self.note(WarningKind::Header, format!("{count} after the last sample were ignored"));
    }

    pub(crate) fn malformed(
        &self,
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl ToString,
    ) -> IoError {
        IoError::malformed(self.path, what, expected, got)
    }

    /// Goes on where something is as it must be.
    ///
    /// # Errors
    /// [`IoError::Malformed`] where it is not.
    pub fn require(
        &self,
        is_right: bool,
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl ToString,
    ) -> Result<()> {
        if is_right { Ok(()) } else { Err(self.malformed(what, expected, got)) }
    }

    /// Goes on where so many bytes are there.
    ///
    /// # Errors
    /// [`IoError::Truncated`] where they are not.
    pub(crate) fn require_bytes(
        &self,
        what: &'static str,
        expected_bytes: u64,
        got_bytes: u64,
    ) -> Result<()> {
        if expected_bytes <= got_bytes {
            Ok(())
        } else {
            Err(self.truncated(what, expected_bytes, got_bytes))
        }
    }

    pub(crate) fn truncated(&self, what: &'static str, expected_bytes: u64, got_bytes: u64) -> IoError {
        IoError::truncated(self.path, what, expected_bytes, got_bytes)
    }

    /// Goes on where something can be read here; `hint` is the way out.
    ///
    /// # Errors
    /// [`IoError::Unsupported`] where it cannot.
    pub fn support(&self, is_read: bool, what: impl Into<String>, hint: &'static str) -> Result<()> {
        if is_read { Ok(()) } else { Err(self.unsupported(what, hint)) }
    }

    pub fn unsupported(&self, what: impl Into<String>, hint: &'static str) -> IoError {
        IoError::unsupported(self.path, what, hint)
    }

    #[cfg(feature = "dicom")]
    pub(crate) fn ambiguous(&self, what: String, choices: String, hint: &'static str) -> IoError {
        IoError::Ambiguous { what, choices: told(&choices), hint, option: None, path: self.path.to_owned() }
    }

    pub fn core(&self, source: CoreError) -> IoError {
        IoError::core(self.path)(source)
    }

    /// The grid of a picture, spacing 1.
    pub(crate) fn picture_grid(&self, nx: usize, ny: usize) -> Result<Grid> {
        Grid::image(nx, ny).map_err(IoError::core(self.path))
    }

    pub fn volume(&self, grid: Grid, samples: Vec<f32>) -> Result<Volume<f32>> {
        Volume::new(grid, samples).map_err(IoError::core(self.path))
    }

    pub fn read(&self, source: std::io::Error) -> IoError {
        IoError::read(self.path)(source)
    }
}
