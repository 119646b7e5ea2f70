//! Cuts of a graph along sets of nodes that are as far from one end of it as from another.
//!
//! *Paper*: A. George, J. W. H. Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5(3), 1979,
//! doi:10.1145/355841.355845 (ends, as far apart as searches find them); level structures as separators: A. George, J. W. H. Liu,
//! "An automatic nested dissection algorithm for irregular finite element problems", SIAM J. Numer. Anal. 15(5), 1978,
//! doi:10.1137/0715069. *Where we differ*: beside the distance from either end their difference, and every level is tried.

use super::piece::Piece;
use super::refinement::{Badness, excess_of};

/// Memory of the cuts of one piece.
#[derive(Debug, Default)]
pub(super) struct LevelSets {
    /// Steps from each end, and what is cut by.
    steps: [Vec<i32>; 2],
    queue: Vec<u32>,
    levels: Vec<[i32; 2]>,
}

/// Where a function of nodes is cut: the first side is below.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelCut {
    pub of: Levels,
    pub below: i32,
    pub badness: Badness,
}

/// What a node's level is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    /// Steps from the first end.
    First,
    /// Steps from the second end.
    Second,
    /// Their difference.
    Between,
}

const UNSEEN: i32 = -1;

impl LevelSets {
    /// Finds two ends, and the best cut by each kind of levels, the best first.
    pub fn cuts(&mut self, piece: &Piece) -> [LevelCut; 3] {
        self.search(piece, 0, 0);
        let first = self.last();
        self.search(piece, first, 0);
        let second = self.last();
        self.search(piece, second, 1);
        let mut cuts = [Levels::First, Levels::Second, Levels::Between].map(|of| self.best(piece, of));
        cuts.sort_by_key(|cut| cut.badness);
        cuts
    }

    fn last(&self) -> u32 {
        *self.queue.last().expect("a piece should have nodes")
    }

    pub fn level(&self, of: Levels, node: usize) -> i32 {
        match of {
            Levels::First => self.steps[0][node],
            Levels::Second => self.steps[1][node],
            Levels::Between => self.steps[0][node] - self.steps[1][node],
        }
    }

    /// Steps from a node; where a component ends, the next one follows.
    fn search(&mut self, piece: &Piece, root: u32, end: usize) {
        let (steps, queue) = (&mut self.steps[end], &mut self.queue);
        steps.clear();
        steps.resize(piece.len(), UNSEEN);
        queue.clear();
        let (mut head, mut next_root) = (0, 0);
        let mut start = root;
        let mut level = 0;
        loop {
            steps[start as usize] = level;
            queue.push(start);
            while let Some(&node) = queue.get(head) {
                head += 1;
                level = steps[node as usize] + 1;
                for &to in piece.neighbours(node) {
                    if steps[to as usize] == UNSEEN {
                        steps[to as usize] = level;
                        queue.push(to);
                    }
                }
            }
            if queue.len() == piece.len() {
                return;
            }
            while steps[next_root] != UNSEEN {
                next_root += 1;
            }
            start = next_root as u32;
        }
    }

    /// The best of all cuts between levels.
    fn best(&mut self, piece: &Piece, of: Levels) -> LevelCut {
        let mut levels = std::mem::take(&mut self.levels);
        let all = (0..piece.len()).map(|node| self.level(of, node));
        let (least, most) = all.fold((i32::MAX, i32::MIN), |(a, b), level| (a.min(level), b.max(level)));
        // For each level its nodes, and how many more arcs cross below it than below the one before.
        levels.clear();
        levels.resize((most - least) as usize + 2, [0; 2]);
        for node in 0..piece.len() {
            let level = self.level(of, node);
            levels[(level - least) as usize][0] += 1;
            for &to in piece.neighbours(node as u32) {
                let other = self.level(of, to as usize);
                if other > level {
                    levels[(level - least) as usize + 1][1] += 1;
                    levels[(other - least) as usize + 1][1] -= 1;
                }
            }
        }
        let (mut below, mut cut) = (0, 0);
        let mut best = None;
        for (i, [nodes, more]) in levels.iter().enumerate() {
            cut += more;
            let weights = [below as u32, piece.len() as u32 - below as u32];
            let badness = (excess_of(weights), cut as u32, weights[0].abs_diff(weights[1]));
            if below > 0 && best.is_none_or(|cut: LevelCut| badness < cut.badness) {
                best = Some(LevelCut { of, below: least + i as i32, badness });
            }
            below += nodes;
        }
        self.levels = levels;
        best.unwrap_or(LevelCut { of, below: most, badness: (u32::MAX, 0, 0) })
    }
}
