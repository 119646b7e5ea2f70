//! Tests of the sweeps on every device against their text for processors.

use super::{ResidentSupernodes, SupernodeEntry, SupernodeSweep, Supernodes};
use crate::kernel::Kernel;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise};

/// A binary tree of three levels with random lengths, with an empty separator; every boundary is the set of all separators
/// above.
fn tree() -> Supernodes {
    let (sizes, parents) = ([21, 40, 9, 3, 5, 0, 17], [2, 2, 6, 5, 5, 6, 6]);
    let ends: Vec<usize> = sizes
        .iter()
        .scan(0, |end, size| {
            *end += size;
            Some(*end)
        })
        .collect();
    let mut all = Supernodes { nodes: ends[6], ..Supernodes::default() };
    let lengths = |count: usize, seed: u64| noise(count, seed).into_iter().map(|v| 1.5 + v);
    for i in 0..7 {
        let places = ends[i] - sizes[i]..ends[i];
        let (mut boundary, mut above, mut depth) = (Vec::new(), i, 0);
        while above != 6 {
            above = parents[above];
            depth += 1;
            boundary.extend((ends[above] - sizes[above]..ends[above]).map(|place| place as u32));
        }
        boundary.sort_unstable();
        let first = [0, 21, 0, 70, 73, 70, 0][i];
        let begin = all.boundary.len();
        let (own, count) = (sizes[i], boundary.len());
        all.boundary.extend(boundary);
        let (closure, coupling) = (all.closure.len(), all.coupling.len());
        let boundary = begin..begin + count;
        all.entries.push(SupernodeEntry { places, first, depth, boundary, closure, coupling });
        all.closure.extend(
            lengths(own * own, i as u64).enumerate().map(|(j, v)| if j % (own + 1) == 0 { 0.0 } else { v }),
        );
        all.coupling.extend(lengths(own * count, 10 + i as u64));
    }
    all
}

on_every_device! {
    fn sweeps(device: &Device) {
        Pair::new(device).alike("sweeps", |device| {
            let mut found = Vec::new();
            for (directed, width) in [(false, 128), (false, 64), (true, 128)] {
                let mut tree = tree();
                tree.downwards = directed.then(|| noise(tree.coupling.len(), 30).into_iter().map(|v| 1.5 + v).collect());
                let supernodes = ResidentSupernodes::new(tree, device).unwrap();
                let nodes = supernodes.host().nodes;
                let sources = if width == 64 { vec![3, 71, 72, 94] } else { (0..nodes).collect::<Vec<_>>() };
                let (mut up, mut down) = (device.scratch(nodes * width).unwrap(), device.scratch(nodes * width).unwrap());
                let sweep = SupernodeSweep { supernodes: &supernodes, sources: &sources, width, up: &mut up, down: &mut down };
                sweep.run(device).unwrap();
                found.push(down);
            }
            found
        });
    }
}
