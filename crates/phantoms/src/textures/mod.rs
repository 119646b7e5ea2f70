//! Textures: the intensity of every point in closed form.

pub(crate) mod texture;
pub(crate) mod wall_texture;
