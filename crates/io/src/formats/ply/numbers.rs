//! Numbers of a PLY file, as text or as bytes.

use super::header::{Encoding, Property, Rows};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element};
use crate::text::words::Words;

/// Whether a property lists corners.
pub(super) fn is_corners(property: &Property) -> bool {
    property.list.is_some() && ["vertex_indices", "vertex_index"].contains(&property.name.as_str())
}

/// Numbers as text, or as bytes in either order.
pub(super) struct Numbers<'a> {
    pub words: Words<'a>,
    pub encoding: Encoding,
}

impl Numbers<'_> {
    /// Refuses rows that the bytes that are left cannot hold.
    pub fn require(&self, rows: &Rows, context: &Context) -> Result<()> {
        let bytes_of = |p: &Property| match self.encoding {
            Encoding::Text => 2,
            _ => p.list.unwrap_or(p.value).bytes() as u64,
        };
        // A row without a property takes no byte, however many there are.
        let bytes: u64 = rows.properties.iter().map(bytes_of).sum();
        context.require(bytes > 0 || rows.count == 0, "PLY element", "a property", "none")?;
        self.words.require(rows.count, bytes, context)
    }

    /// The values of a property in a row.
    pub fn values(
        &mut self,
        property: &Property,
        context: &Context,
        mut take: impl FnMut(f64) -> Result<()>,
    ) -> Result<()> {
        let Some(length) = property.list else { return take(self.number(property.value, context)?) };
        let count = self.number(length, context)?;
        context.require(count >= 0.0 && count.fract() == 0.0, "the length of a list", "a count", count)?;
        let bytes_each = if self.encoding == Encoding::Text { 2 } else { property.value.bytes() as u64 };
        self.words.require(count as usize, bytes_each, context)?;
        (0..count as usize).try_for_each(|_| take(self.number(property.value, context)?))
    }

    fn number(&mut self, element: Element, context: &Context) -> Result<f64> {
        match self.encoding {
            Encoding::Text => self.words.number("a number", context),
            Encoding::Stored(order) => {
                let mut bytes = [0; 8];
                let own = &mut bytes[..element.bytes()];
                own.copy_from_slice(self.words.bytes(own.len(), context)?);
                if order == ByteOrder::Big {
                    own.reverse();
                }
                Ok(element.number(bytes))
            }
        }
    }

    pub fn finish(self, context: &mut Context) {
        match self.encoding {
            Encoding::Text => self.words.finish(context),
            _ if self.words.is_at_end() => {}
            _ => context.trailing(None),
        }
    }
}
