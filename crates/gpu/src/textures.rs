//! Samples that kernels read through a GPU's texture units, for texts in CUDA C++.

use crate::memory::buffer::Buffer;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

/// Where the samples of a texture lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureLayout {
    /// In the buffer itself, as a line: `tex1Dfetch(texture, index)`.
    Line,
    /// In a copy in the device's own order, in which neighbours along every axis lie together:
    /// `tex3D(texture, x + 0.5, y + 0.5, z + 0.5)` is the sample of a voxel.
    Volume,
}

/// A texture of a volume, made by [`Device::texture`](crate::Device::texture). A launch passes its handle in the uniform block; it binds the buffer as well, so that it waits for what writes it.
pub struct Texture<'a> {
    handle: u64,
    /// Destroys the texture when it is dropped.
    _owned: Box<dyn Any + Send + Sync>,
    samples: PhantomData<&'a Buffer>,
}

impl<'a> Texture<'a> {
    /// A texture of a buffer's samples.
    pub(crate) fn of(_: &'a Buffer, texture: OwnedTexture) -> Self {
        Self { handle: texture.handle, _owned: texture.owned, samples: PhantomData }
    }
    /// The texture object, as kernels take it.
    pub fn handle(&self) -> u64 {
        self.handle
    }
}

impl fmt::Debug for Texture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texture").field("handle", &self.handle).finish_non_exhaustive()
    }
}

/// A texture as a back end makes it: its handle, and what destroys it when it is dropped.
pub struct OwnedTexture {
    pub(crate) handle: u64,
    pub(crate) owned: Box<dyn Any + Send + Sync>,
}

impl fmt::Debug for OwnedTexture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedTexture").field("handle", &self.handle).finish_non_exhaustive()
    }
}
