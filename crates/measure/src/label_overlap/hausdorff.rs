//! The 95th percentile Hausdorff distance of a label in two images, millimetres.

use super::distance_transform::{Band, squared_distance_mm2};
use super::regions::Region;
use crate::distribution::quantile;
use veloxel_core::{Grid, Stopped, Threads, Volume};

/// The surfaces of labels in the result and in the truth.
#[derive(Clone, Copy)]
pub(super) struct Surfaces<'a> {
    pub images: [&'a Volume<u32>; 2],
    pub threads: Threads<'a>,
}

impl Surfaces<'_> {
    /// The larger of the two directed distances of a label that both images have.
    pub fn hausdorff95_mm(self, label: u32, region: &Region) -> Result<f64, Stopped> {
        let size = region.size();
        let threads = self.threads.for_samples(size.iter().product());
        let own = Surfaces { threads, ..self };
        let [result, truth] = self.images;
        let of_truth = own.surface(truth, label, region)?;
        let of_result = own.surface(result, label, region)?;
        let spacing_mm = truth.grid().spacing_mm();
        let directed = |from: &[bool], to: &[bool]| {
            let squared = squared_distance_mm2(to, &Band::whole(size), spacing_mm, threads)?;
            let distances = threads.in_parts(from.len(), |part| {
                Ok(part.filter(|i| from[*i]).map(|i| squared.at(i).sqrt()).collect::<Vec<f32>>())
            })?;
            quantile(&mut distances.concat(), 0.95, threads.control())
        };
        let there: f64 = directed(&of_truth, &of_result)?;
        Ok(there.max(directed(&of_result, &of_truth)?))
    }

    /// Voxels of the label, within its box, that touch another label (or the grid's border) through a face.
    fn surface(self, labels: &Volume<u32>, label: u32, region: &Region) -> Result<Vec<bool>, Stopped> {
        let (data, grid, first, [nx, ny, nz]) = (labels.data(), labels.grid(), region.first, region.size());
        let mut surface = [vec![false; nx * ny * nz]];
        self.threads.fill(&mut surface, nx, |begin, own| {
            for (nth, row) in own.iter_mut().flat_map(|own| own.chunks_mut(nx)).enumerate() {
                self.threads.control().check()?;
                let row_in_box = begin / nx + nth;
                let (y, z) = (first[1] + row_in_box % ny, first[2] + row_in_box / ny);
                let begin = grid.index([first[0], y, z]);
                for (x, on) in row.iter_mut().enumerate() {
                    *on = data[begin + x] == label && touches_another(data, grid, [first[0] + x, y, z]);
                }
            }
            Ok(())
        })?;
        let [surface] = surface;
        Ok(surface)
    }
}

fn touches_another(data: &[u32], grid: &Grid, p: [usize; 3]) -> bool {
    let size = grid.size();
    let strides = [1, size[0], size[0] * size[1]];
    let i = grid.index(p);
    (0..grid.dimension().count()).any(|a| {
        p[a] == 0 || p[a] + 1 == size[a] || data[i - strides[a]] != data[i] || data[i + strides[a]] != data[i]
    })
}
