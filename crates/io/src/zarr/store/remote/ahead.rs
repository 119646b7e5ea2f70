//! Objects that were asked for together, until they are read.

use super::{AT_ONCE, Remote};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use object_store::{Error, ObjectStoreExt};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Bytes of objects by their keys in the store; none of one that is not there.
#[derive(Debug, Default)]
pub(super) struct Ahead(Mutex<HashMap<String, Option<Vec<u8>>>>);

impl Ahead {
    pub fn take(&self, key: &str) -> Option<Option<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key)
    }

    /// Forgets what was not read, for what comes now.
    fn replace(&self, found: HashMap<String, Option<Vec<u8>>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}

impl Remote {
    /// Objects that may be asked for at once.
    pub fn at_once(&self) -> usize {
        AT_ONCE
    }

    /// Asks for whole objects together, whose values are then there at once. One of more than `most_bytes` is left to be asked for by
    /// itself.
    ///
    /// # Errors
    /// [`IoError::Open`] with what the server says; [`IoError::Stopped`].
    pub fn ask_for(&self, keys: &[String], most_bytes: u64, context: &Context) -> Result<()> {
        let ask = |key: &String| {
            let (objects, path, key) = (self.objects.clone(), self.key(key), key.clone());
            async move {
                Ok(match objects.get(&path).await {
                    Ok(answer) if answer.meta.size > most_bytes => None,
                    Ok(answer) => Some((key, Some(answer.bytes().await?.to_vec()))),
                    Err(Error::NotFound { .. }) => Some((key, None)),
                    Err(error) => return Err(error),
                })
            }
        };
        let mut found = HashMap::new();
        let asked = self.each(keys.iter().map(ask), |answer| found.extend(answer));
        if let Err(failure) = asked {
            context.check()?;
            return Err(IoError::open(&self.address)(failure.into()));
        }
        self.ahead.replace(found);
        Ok(())
    }
}
