//! Springs between the voxels of a row, and their terms in its equations.

use crate::shared::lanes::Pack;

/// The springs along x. Loops over packs know the type when they are compiled: a branch inside of them would keep packs out of
/// vector registers.
pub(super) trait Springs {
    /// Whether the springs vary, because ψ does.
    const VARY: bool;
    /// Whether the volume term adds springs of its own.
    const OF_VOLUME: bool;
}

/// The [`Springs`] of two switches.
pub(super) struct Along<const VARY: bool, const OF_VOLUME: bool>;

impl<const VARY: bool, const OF_VOLUME: bool> Springs for Along<VARY, OF_VOLUME> {
    const VARY: bool = VARY;
    const OF_VOLUME: bool = OF_VOLUME;
}

/// Springs to neighbours along x, one more than voxels: before the first, between any two, after the last.
pub(super) struct AlongX<'s> {
    /// The spring α / s_x².
    pub spring: f32,
    /// Springs of the smoothness.
    pub links: &'s mut [f32],
    /// Whether `links` differ from `spring` inside the row.
    pub has_diffusivity: bool,
    /// The sum of each voxel's two springs, if they do not vary.
    pub totals: &'s [f32],
    /// Springs of the volume term, of the first component; 0 without that term.
    pub volume_links: &'s mut [f32],
    pub has_volume: bool,
}

/// The terms of neighbours along x: [`AlongX`] in the form that loops read.
#[derive(Clone, Copy)]
pub(super) struct Pull<'a> {
    spring: f32,
    links: &'a [f32],
    volume_links: &'a [f32],
    /// Number of samples of a padded row.
    padded: usize,
}

impl AlongX<'_> {
    /// The values that a loop over a row of `n` voxels reads.
    pub fn pull(&self, n: usize) -> Pull<'_> {
        assert!([self.links.len(), self.volume_links.len()] == [n + 1; 2], "scratch should hold the row");
        let Self { spring, links, volume_links, .. } = self;
        Pull { spring: *spring, links, volume_links, padded: n + 2 }
    }
}

impl Pull<'_> {
    /// The term `base` of component `c` plus the terms of its voxels' neighbours along x.
    ///
    /// # Safety
    /// The row, and the padded `x`, hold the pack at `at`.
    #[inline(always)]
    pub unsafe fn add<P: Pack, A: Springs>(self, base: P, x: &[f32], c: usize, at: usize) -> P {
        let here = c * self.padded + 1 + at;
        // SAFETY: forwarded.
        unsafe {
            let (before, after) = (P::load(x, here - 1), P::load(x, here + 1));
            let pairs = |links: &[f32]| (P::load(links, at) * before, P::load(links, at + 1) * after);
            let mut sum = if A::VARY {
                let (below, above) = pairs(self.links);
                base + below + above
            } else {
                base + P::splat(self.spring) * (before + after)
            };
            if A::OF_VOLUME && c == 0 {
                let (below, above) = pairs(self.volume_links);
                sum = sum + below + above;
            }
            sum
        }
    }
}
