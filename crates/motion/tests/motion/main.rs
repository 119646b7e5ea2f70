//! Whole runs of the methods: against exact motion, against each other, and on every device.

mod affine;
mod aligned_brightness;
mod block_matching;
mod coarse_end;
mod confidence;
mod convergence;
mod devices;
mod finite_elements;
mod known_issues;
mod lucas_kanade;
mod masks_and_extremes;
mod matches;
mod measure;
mod parameters;
mod phantoms;
mod phase;
mod point_tracking;
mod small_pictures;
mod solvers;
mod symmetry;
mod tiles;
mod two_grids;
mod uses;
