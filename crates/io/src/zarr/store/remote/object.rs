//! One object, whole or in parts.

use super::{Failure, Remote};
use crate::zarr::store::ReadAt;
use object_store::path::Path as Key;
use object_store::{GetResult, ObjectStore};
use std::ops::Range;

/// An object of a store.
pub(super) struct Object<'a> {
    store: &'a Remote,
    path: Key,
    length: u64,
    /// The answer of the server, which has all of it.
    whole: Option<GetResult>,
    /// Parts that were asked for together.
    parts: Vec<(Range<u64>, Vec<u8>)>,
}

impl<'a> Object<'a> {
    /// An object whose bytes come with the answer of the server.
    pub fn new(store: &'a Remote, path: Key, answer: GetResult) -> Self {
        Self { store, path, length: answer.meta.size, whole: Some(answer), parts: Vec::new() }
    }
}

impl ReadAt for Object<'_> {
    fn read_at(&mut self, place: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        let part = place..place + buffer.len() as u64;
        let is_whole = part == (0..self.length);
        let bytes = match self.whole.take().filter(|_| is_whole) {
            Some(found) => self.store.wait(found.bytes())?,
            None => match self.parts.iter().position(|(own, _)| *own == part) {
                Some(nth) => self.parts.swap_remove(nth).1.into(),
                None => {
                    let found = self.store.objects.get_ranges(&self.path, std::slice::from_ref(&part));
                    let mut found = self.store.wait(found).map_err(Failure::of_part)?;
                    found.pop().unwrap_or_default()
                }
            },
        };
        if bytes.len() != buffer.len() {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buffer.copy_from_slice(&bytes);
        Ok(())
    }

    fn ask_for(&mut self, parts: &[Range<u64>]) -> std::io::Result<()> {
        self.whole = None;
        let is_within = |part: &&Range<u64>| part.start < part.end && part.end <= self.length;
        let parts: Vec<Range<u64>> = parts.iter().filter(is_within).cloned().collect();
        let found = self.store.objects.get_ranges(&self.path, &parts);
        let found = self.store.wait(found).map_err(Failure::of_part)?;
        self.parts = parts.into_iter().zip(found.iter().map(|bytes| bytes.to_vec())).collect();
        Ok(())
    }
}
