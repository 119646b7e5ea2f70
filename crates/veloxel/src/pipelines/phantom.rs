//! Phantoms in memory: images, true fields, labels and outlines by the name of a phantom.

use crate::{Result, Session};
use veloxel_phantoms::named::NamedPhantom;

pub use veloxel_phantoms::catalogue::TextureKind;
pub use veloxel_phantoms::named::{NAMED as PHANTOMS, PhantomContent, PhantomPart, PhantomSettings};

/// A phantom to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomRequest<'a> {
    /// One of the names of [`PHANTOMS`].
    pub name: &'a str,
    /// Its size, texture and noise.
    pub settings: &'a PhantomSettings,
}

/// Makes a phantom and delivers its parts one after the other; the session can stop it between them.
///
/// # Errors
/// [`VeloxelError::Phantom`](crate::VeloxelError::Phantom) for a name or a setting that does not go;
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped); whatever `deliver` fails with.
pub fn phantom(
    request: &PhantomRequest<'_>,
    session: &Session,
    deliver: &mut dyn FnMut(PhantomPart) -> Result<()>,
) -> Result<()> {
    for part in NamedPhantom::of(request.name)?.parts(request.settings, session.control())? {
        deliver(part?)?;
    }
    Ok(())
}
