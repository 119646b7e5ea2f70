//! Runs in tiles against runs over the whole grid.

mod local;
mod pairs;
mod stored;
mod windows;
