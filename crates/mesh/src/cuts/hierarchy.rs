//! The tree of merges: parts for every number of parts.

use crate::dual_graph::DualArc;
use crate::numbered::numbered;

/// Faces that were joined pair by pair; the merges in reverse are the parts for one part, two parts, and so on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hierarchy {
    pub(super) faces: usize,
    pub(super) merges: Vec<PartMerge>,
}

/// The last merges of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeTop {
    /// The number of each face's part before those merges.
    pub labels: Vec<u32>,
    /// A face of each part.
    pub faces: Vec<u32>,
    /// The numbers of the part that stays and of the part that it takes in, in the order of time.
    pub merges: Vec<[u32; 2]>,
}

/// A merge of two parts into one. A part is named by one of its faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartMerge {
    /// The part that stays.
    pub kept: u32,
    /// The part that it takes in.
    pub joined: u32,
    /// By how much the sum of all parts' cut over area grows.
    pub cost: f64,
}

impl Hierarchy {
    /// Every merge, in the order of time.
    pub fn merges(&self) -> &[PartMerge] {
        &self.merges
    }

    /// The smallest number of parts: one for each component of the mesh.
    pub fn fewest_parts(&self) -> usize {
        self.faces - self.merges.len()
    }

    /// For each face the face that names its part, of `parts` parts, or of as many as are possible.
    pub(crate) fn part_names(&self, parts: usize) -> Vec<u32> {
        let merges = self.faces.saturating_sub(parts).min(self.merges.len());
        let mut name: Vec<u32> = (0..self.faces as u32).collect();
        // A face that was taken in later is looked at earlier: whoever took it in has its name already.
        for merge in self.merges[..merges].iter().rev() {
            name[merge.joined as usize] = name[merge.kept as usize];
        }
        name
    }

    /// For each face the number of its part, from 0 in the order of the faces.
    pub fn labels(&self, parts: usize) -> Vec<u32> {
        numbered(&self.part_names(parts))
    }

    /// The top of the tree: parts, of which there are at most so many, and the merges above them.
    pub fn top(&self, most: usize) -> TreeTop {
        let parts = most.clamp(self.fewest_parts(), self.faces);
        let names = self.part_names(parts);
        let labels = numbered(&names);
        let mut faces = vec![u32::MAX; parts];
        (0..self.faces).rev().for_each(|face| faces[labels[face] as usize] = names[face]);
        let number = |name: u32| labels[name as usize];
        let above = &self.merges[self.faces - parts..];
        let merges = above.iter().map(|merge| [number(merge.kept), number(merge.joined)]).collect();
        TreeTop { labels, faces, merges }
    }

    /// For each arc the smallest number of parts with which its faces lie in two of them.
    pub fn levels(&self, arcs: &[DualArc]) -> Vec<u32> {
        const NEVER: u32 = u32::MAX;
        let mut taken_in = vec![(0, NEVER); self.faces];
        let (mut sizes, mut top) = (vec![1u32; self.faces], Vec::from_iter(0..self.faces as u32));
        for (time, merge) in self.merges.iter().enumerate() {
            // The smaller part goes below the larger one, whichever gives the name, so that no way up is long.
            let [kept, joined] = [merge.kept, merge.joined].map(|name| top[name as usize]);
            let is_larger = sizes[joined as usize] > sizes[kept as usize];
            let (above, below) = if is_larger { (joined, kept) } else { (kept, joined) };
            sizes[above as usize] += sizes[below as usize];
            taken_in[below as usize] = (above, time as u32);
            top[merge.kept as usize] = above;
        }
        let level = |arc: &DualArc| {
            let [mut a, mut b] = arc.faces;
            let mut last = 0;
            // Whoever was taken in first goes up first.
            while a != b {
                let lower = if taken_in[a as usize].1 < taken_in[b as usize].1 { &mut a } else { &mut b };
                (*lower, last) = taken_in[*lower as usize];
            }
            self.faces as u32 - last
        };
        arcs.iter().map(level).collect()
    }
}
