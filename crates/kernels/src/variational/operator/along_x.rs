//! Springs between the voxels of a row, and what they bring to its equations.

use crate::shared::lanes::Pack;

/// Which springs there are along x. Loops over packs know it when they are compiled: a choice inside of them would keep
/// packs out of vector registers.
pub(super) trait Springs {
    /// Whether they vary, because ψ does.
    const VARY: bool;
    /// Whether the volume term adds its own.
    const OF_VOLUME: bool;
}

/// [`Springs`] by two switches.
pub(super) struct Along<const VARY: bool, const OF_VOLUME: bool>;

impl<const VARY: bool, const OF_VOLUME: bool> Springs for Along<VARY, OF_VOLUME> {
    const VARY: bool = VARY;
    const OF_VOLUME: bool = OF_VOLUME;
}

/// Springs to neighbours along x, one more than voxels: before the first, between any two, after the last.
pub(super) struct AlongX<'s> {
    /// α / s_x².
    pub spring: f32,
    /// The smoothness's.
    pub links: &'s mut [f32],
    /// Whether `links` differ from `spring` inside the row.
    pub has_diffusivity: bool,
    /// Of each voxel both springs together, where they do not.
    pub totals: &'s [f32],
    /// The volume term's, of the first component; 0 without that term.
    pub volume_links: &'s mut [f32],
    pub has_volume: bool,
}

/// What neighbours along x bring: [`AlongX`] as loops read it.
#[derive(Clone, Copy)]
pub(super) struct Pull<'a> {
    spring: f32,
    links: &'a [f32],
    volume_links: &'a [f32],
    /// Samples of a padded row.
    padded: usize,
}

impl AlongX<'_> {
    /// What a loop over a row of `n` voxels reads.
    pub fn pull(&self, n: usize) -> Pull<'_> {
        assert!([self.links.len(), self.volume_links.len()] == [n + 1; 2], "scratch should hold the row");
        let Self { spring, links, volume_links, .. } = self;
        Pull { spring: *spring, links, volume_links, padded: n + 2 }
    }
}

impl Pull<'_> {
    /// `base` of component `c` with what its voxels' neighbours along x bring.
    ///
    /// # Safety
    /// The row, and `x` which is padded, hold the pack at `at`.
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
