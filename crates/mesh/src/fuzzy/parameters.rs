//! The parameters of fuzzy clustering.

use veloxel_core::{choices, parameters};

choices! {
    /// Where medoids begin.
    pub enum FirstMedoids {
        /// Each as far as possible from those before it.
        Farthest = "farthest",
        /// In the middles of the parts that agglomeration finds.
        Cuts = "cuts",
    }
}

choices! {
    /// What it costs to cut through a band.
    pub enum BandCosts {
        /// Length over angle (Katz and Tal, equation 5).
        Angles = "angles",
        /// What agglomeration pays, votes included.
        Cuts = "cuts",
    }
}

parameters! {
    /// Every parameter of fuzzy clustering; symbols as on the page of [`crate::fuzzy`].
    pub struct FuzzyParams of "fuzzy";

    /// A named set of parameters.
    pub enum FuzzyPreset {
        /// One set for all meshes.
        Standard = "standard",
        /// Katz and Tal: angles and lengths alone, and every probability as it is.
        Paper = "paper",
    }

    /// Share of angles in the distance from face to face; the rest is length. 0: lengths alone; 1: angles alone.
    angle_share "δ": f64 in 0..=1 = 0.8;
    /// What an angle counts where the surface is convex, beside 1 where it is concave. 0: nothing; 1: as much.
    convex_share "η": f64 in 0..=1 = 0.1 { paper: 0.2 };
    /// Weight of differences of thickness beside the other two. 0: thickness does not count.
    thickness_weight "γ": f64 in 0..=1000 = 1.0 { paper: 0.0 };
    /// Weight of borders on which agglomerations agree, beside the other terms. 0: they do not count; large: the parts are those
    /// of cuts.
    vote_weight "β": f64 in 0..=1000 = 4.0 { paper: 0.0 };
    /// Weight of lines of sight that leave the body, beside the other terms. 0: they do not count, and no ray is cast.
    sight_weight "κ": f64 in 0..=1000 = 0.0;
    /// How far from an arc lines of sight begin and end, in square roots of the mesh's area. Small: creases; large: wide valleys.
    sight_reach: f64 in 0.001..=1 = 0.1;
    /// How often the shape diameter is averaged with its neighbours'. 0: as rays measured it.
    smoothing: usize in 0..=10000 = 8;
    /// How fast a probability falls with the distance. Small: far faces pull a medoid as well; large: only those of its own part
    /// do.
    sharpness "p": f64 in 0.1..=100 = 6.0 { paper: 1.0 };
    /// Where medoids begin.
    seeds: FirstMedoids = Cuts { paper: Farthest };
    /// Updates of the medoids at most; they end where medoids repeat.
    iterations: usize in 0..=1000 = 10;
    /// Half width of the band that is cut: faces whose share of two parts is so near to one half lie in it. 0: no cut.
    band "ε": f64 in 0..=0.5 = 0.3 { paper: 0.1 };
    /// What it costs to cut through the band.
    band_costs: BandCosts = Cuts { paper: Angles };
    /// Least area of a part, as a share of the mesh's: smaller ones join a neighbour.
    least_area: f64 in 0..=1 = 0.0005 { paper: 0.0 };
    /// Price of one more part, where the number of parts is chosen, as for cuts. 0: few parts; large: many.
    part_worth: f64 in 0..=1e6 = 1.5;
}
