//! The parameters of agglomeration.

use veloxel_core::parameters;

parameters! {
    /// Every parameter of agglomeration by area-normalised cuts; symbols as on the page of [`crate::cuts`](mod@crate::cuts).
    pub struct CutsParams of "cuts";

    /// A named set of parameters.
    pub enum CutsPreset {
        /// One set for all meshes.
        Standard = "standard",
    }

    /// How much cheaper a cut is where the surface bends inwards. 0: the shortest cuts; large: the sharpest creases alone.
    steepness "b": f64 in 0..=100 "per radian" = 5.0;
    /// How much cheaper a cut is where lines of sight across it leave the body. 0: they do not count, and no ray is cast for
    /// them; large: parts within which every line of sight stays in the body.
    sight_weight "κ": f64 in 0..=1000 = 2.0;
    /// How far from an arc lines of sight begin and end, in square roots of the mesh's area. Small: creases; large: wide valleys.
    sight_reach: f64 in 0.001..=1 = 0.05;
    /// What it costs to join parts of unlike thickness. 0: thickness does not count; large: parts of one thickness each.
    thickness_weight "λ": f64 in 0..=1e6 = 100.0;
    /// Weight of the borders that four further agglomerations agree on. 0: they are not run, and the run takes a fifth of the
    /// time.
    vote_weight "β": f64 in 0..=100 = 6.0;
    /// Price of one more part, where the number of parts is chosen: a part is added while it raises the sum of cut over area by
    /// less than that. 0: few parts; large: many.
    part_worth: f64 in 0..=1e6 = 1.5;
    /// Least area of a part, as a share of the mesh's: smaller ones join a neighbour.
    least_area: f64 in 0..=1 = 0.0005;
    /// How often the shape diameter is averaged with its neighbours'. 0: as rays measured it; large: one thickness for all.
    smoothing: usize in 0..=10000 = 8;
}
