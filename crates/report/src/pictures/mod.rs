//! Pictures: colours, maps in panels over planes of a grid, and the drawings over them.

pub(crate) mod caption;
pub(crate) mod colour;
pub(crate) mod colour_wheel;
pub(crate) mod engine_film;
pub(crate) mod fields;
pub(crate) mod film;
pub(crate) mod grey;
pub(crate) mod maps;
pub(crate) mod outline_film;
pub(crate) mod overlay;
pub(crate) mod panel;
pub(crate) mod panels;
pub(crate) mod part_colours;
pub(crate) mod phase_pictures;
pub(crate) mod picture;
pub(crate) mod planes;
pub(crate) mod track_view;
pub(crate) mod tracked_points;
pub(crate) mod view;
