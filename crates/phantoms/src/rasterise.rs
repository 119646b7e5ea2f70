//! A tetrahedral mesh at two times as an image pair with exact displacements.
//!
//! *In*: one connectivity, three sets of nodes (reference, fixed and moving time; mm). *Out*: a [`Phantom`]
//! on an upright grid around both times.
//! *Formula.* A voxel centre `x` in a tetrahedron with nodes `f_k` (fixed time) has barycentric coordinates
//! `b_k`, `x = Σ b_k f_k`. Its material point is `X = Σ b_k r_k`, its displacement `d = Σ b_k (m_k − f_k)`;
//! the images are `T(X)` of the fixed and of the moving time. In the mesh, `fixed(x) = moving(x + d(x))`
//! holds exactly: linear elements are the motion, not an approximation of it (surface voxels of
//! [`SurfaceEdges::PartialVolume`] are means). Outside, the images are constant and the truth is NaN.
//!
//! *Cost*: every tetrahedron visits the voxels of its bounding box once per image, and the sample points of
//! surface voxels a second time; about 60 bytes a voxel while it runs.

use crate::centred::CentredFrame;
use crate::elements::{Elements, OUTSIDE};
use crate::error::PhantomError;
use crate::noise::Noise;
use crate::phantom::{Phantom, interior};
use crate::textures::texture::{SmoothTexture, SpeckleTexture, Texture};
use veloxel_core::{Flow, Grid, Mask, TetMesh, Volume};

/// What the mesh is filled with, as a function of material points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshTexture {
    /// [`SmoothTexture`].
    Smooth,
    /// [`SpeckleTexture`].
    Speckle,
}

/// How voxels on the surface look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceEdges {
    /// Inside or outside by the voxel's centre: every voxel is exact, the surface is a staircase.
    Sharp,
    /// Voxels with a face neighbour on the other side show the mean over 2×2×2 points, as scanners do.
    PartialVolume,
}

/// How a mesh becomes images.
#[derive(Debug, Clone, PartialEq)]
pub struct RasteriseParams {
    /// Voxel size, in the mesh's length unit, taken as mm.
    pub spacing_mm: [f64; 3],
    /// Voxels between the meshes and the border on every side.
    pub margin_vox: usize,
    /// What fills the mesh.
    pub texture: MeshTexture,
    /// How surface voxels look.
    pub edges: SurfaceEdges,
    /// Intensity outside of the mesh; the texture is mapped to `[background + 0.2, 1]`.
    pub background: f64,
    /// Noise on both images.
    pub noise: Noise,
    /// Which texture.
    pub seed: u64,
}

impl RasteriseParams {
    /// Parameters with speckle, partial volume, no noise, and a margin of 8 voxels.
    pub fn new(spacing_mm: [f64; 3]) -> Self {
        Self {
            spacing_mm,
            margin_vox: 8,
            texture: MeshTexture::Speckle,
            edges: SurfaceEdges::PartialVolume,
            background: 0.1,
            noise: Noise::None,
            seed: 1,
        }
    }
}

/// Draws a mesh at two times; see the page above.
///
/// `muscle` of the result is the inside of the fixed mesh, `interior` what of it keeps its margin from the
/// border. Where tetrahedra overlap the first one counts.
///
/// # Errors
/// [`PhantomError::MeshMismatch`] unless all three have the same tetrahedra over the same number of points;
/// [`PhantomError::UnusableMesh`] if one is empty or not finite; [`PhantomError::Grid`] if the grid is not
/// possible.
pub fn rasterise_pair(
    reference: &TetMesh,
    fixed: &TetMesh,
    moving: &TetMesh,
    params: &RasteriseParams,
) -> Result<Phantom, PhantomError> {
    for (which, mesh) in [("reference", reference), ("fixed", fixed), ("moving", moving)] {
        require_usable(which, mesh)?;
        require_same_elements(which, reference, mesh)?;
    }
    let grid = grid_around([fixed, moving], params)?;
    let frame = CentredFrame::new(&grid);
    let texture: Box<dyn Texture> = match params.texture {
        MeshTexture::Smooth => Box::new(SmoothTexture::new(&frame, params.seed)),
        MeshTexture::Speckle => Box::new(SpeckleTexture::new(&frame, params.seed)),
    };
    let drawing = Drawing { reference, grid: &grid, texture: texture.as_ref(), params };
    let (owners, fixed_image) = drawing.draw(fixed, 0);
    let (_, moving_image) = drawing.draw(moving, 1);
    let truth = displacement(&owners, &grid, fixed, moving);
    let inside = owners.iter().map(|&owner| owner != OUTSIDE).collect();
    Ok(Phantom {
        name: "finite-element mesh".to_owned(),
        fixed: fixed_image,
        moving: moving_image,
        interior: interior(&truth, Phantom::MARGIN_VOX),
        truth,
        muscle: Some(Mask::new(grid, inside)?),
    })
}

/// The values that both images share.
struct Drawing<'a> {
    reference: &'a TetMesh,
    grid: &'a Grid,
    texture: &'a dyn Texture,
    params: &'a RasteriseParams,
}

impl Drawing<'_> {
    /// The owners of the voxels of a mesh, and its image.
    fn draw(&self, mesh: &TetMesh, number: u64) -> (Vec<u32>, Volume<f32>) {
        let elements = Elements::new(mesh, self.grid);
        let owners = elements.owners(self.grid);
        let mut data: Vec<f64> = (0..self.grid.len())
            .map(|i| match owners[i] {
                OUTSIDE => self.params.background,
                owner => {
                    self.brightness(owner, elements.weights(owner, self.grid.position(i).map(|v| v as f64)))
                }
            })
            .collect();
        if self.params.edges == SurfaceEdges::PartialVolume {
            self.soften(&elements, &owners, &mut data);
        }
        let noisy =
            data.iter().enumerate().map(|(i, v)| (v + self.params.noise.at(number, i)) as f32).collect();
        (owners, Volume::new(self.grid.clone(), noisy).expect("one sample was made for every voxel"))
    }

    /// The intensity of a material point.
    fn brightness(&self, element: u32, weights: [f64; 4]) -> f64 {
        let material_mm = interpolated(self.reference, element, weights, |node| self.reference.points[node]);
        let floor = self.params.background + 0.2;
        floor + (1.0 - floor) * self.texture.intensity(material_mm)
    }

    /// Replaces surface voxels by their mean over eight points.
    fn soften(&self, elements: &Elements, owners: &[u32], data: &mut [f64]) {
        const POINTS: f64 = 8.0;
        let surface = surface(owners, self.grid);
        let mut sums = vec![(0.0, 0.0); owners.len()];
        elements.for_samples(self.grid, &surface, |voxel, element, weights| {
            sums[voxel].0 += self.brightness(element, weights);
            sums[voxel].1 += 1.0;
        });
        for i in (0..owners.len()).filter(|&i| surface[i]) {
            let (sum, count) = sums[i];
            data[i] = (sum + (POINTS - count) * self.params.background) / POINTS;
        }
    }
}

/// Voxels with a face neighbour on the other side of the surface.
fn surface(owners: &[u32], grid: &Grid) -> Vec<bool> {
    let [nx, ny, _] = grid.size();
    let mut surface = vec![false; owners.len()];
    for (axis, stride) in [1, nx, nx * ny].into_iter().enumerate() {
        for i in 0..owners.len() {
            let has_next = grid.position(i)[axis] + 1 < grid.size()[axis];
            if has_next && (owners[i] == OUTSIDE) != (owners[i + stride] == OUTSIDE) {
                surface[i] = true;
                surface[i + stride] = true;
            }
        }
    }
    surface
}

/// The sum `Σ b_k v_k` over an element's nodes.
fn interpolated(
    mesh: &TetMesh,
    element: u32,
    weights: [f64; 4],
    value: impl Fn(usize) -> [f64; 3],
) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (weight, node) in weights.into_iter().zip(mesh.tetrahedra[element as usize]) {
        let v = value(node as usize);
        for a in 0..3 {
            sum[a] += weight * v[a];
        }
    }
    sum
}

fn displacement(owners: &[u32], grid: &Grid, fixed: &TetMesh, moving: &TetMesh) -> Flow {
    let elements = Elements::new(fixed, grid);
    let spacing = grid.spacing_mm();
    Flow::from_fn(grid.clone(), |voxel| match owners[grid.index(voxel.map(|v| v as usize))] {
        OUTSIDE => [f64::NAN; 3],
        owner => {
            let (from, to) = (&fixed.points, &moving.points);
            let moved = |n: usize| [0, 1, 2].map(|a| to[n][a] - from[n][a]);
            let d_mm = interpolated(fixed, owner, elements.weights(owner, voxel), moved);
            [0, 1, 2].map(|a| d_mm[a] / spacing[a])
        }
    })
}

/// The smallest upright grid that holds both meshes and the margin.
fn grid_around(meshes: [&TetMesh; 2], params: &RasteriseParams) -> Result<Grid, PhantomError> {
    let points = || meshes.iter().flat_map(|m| &m.points);
    let low = [0, 1, 2].map(|a: usize| points().map(|p| p[a]).fold(f64::INFINITY, f64::min));
    let high = [0, 1, 2].map(|a: usize| points().map(|p| p[a]).fold(f64::NEG_INFINITY, f64::max));
    let margin = params.margin_vox;
    let h = params.spacing_mm;
    // An impossible spacing is refused before it becomes a size.
    Grid::volume(1, 1, 1)?.with_spacing_mm(h)?;
    let size =
        [0, 1, 2].map(|a| (((high[a] - low[a]) / h[a]).ceil() as usize).saturating_add(2 * margin + 1));
    let origin = [0, 1, 2].map(|a| low[a] - margin as f64 * h[a]);
    Ok(Grid::volume(size[0], size[1], size[2])?.with_spacing_mm(h)?.with_origin_mm(origin))
}

fn require_usable(which: &'static str, mesh: &TetMesh) -> Result<(), PhantomError> {
    let unusable = |problem: String| Err(PhantomError::UnusableMesh { which, problem });
    if mesh.tetrahedra.is_empty() {
        return unusable("has no tetrahedra".to_owned());
    }
    if let Some(i) = mesh.points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        return unusable(format!(
            "has the node {i} at {:?}: every coordinate has to be finite",
            mesh.points[i]
        ));
    }
    Ok(())
}

fn require_same_elements(
    which: &'static str,
    reference: &TetMesh,
    mesh: &TetMesh,
) -> Result<(), PhantomError> {
    let mismatch =
        |what, expected: String, got: String| Err(PhantomError::MeshMismatch { what, which, expected, got });
    let counts = [
        ("the number of points", reference.points.len(), mesh.points.len()),
        ("the number of tetrahedra", reference.tetrahedra.len(), mesh.tetrahedra.len()),
    ];
    if let Some((what, expected, got)) = counts.into_iter().find(|(_, expected, got)| expected != got) {
        return mismatch(what, expected.to_string(), got.to_string());
    }
    match reference.tetrahedra.iter().zip(&mesh.tetrahedra).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(i) => {
            let text = |mesh: &TetMesh| format!("tetrahedron {i} = {:?}", mesh.tetrahedra[i]);
            mismatch("connectivity", text(reference), text(mesh))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_testkit::tolerances;

    /// A block of `n³` cubes of edge `edge`, each cut into six tetrahedra around a diagonal, its nodes moved
    /// by `place`.
    fn block(n: u32, edge: f64, place: impl Fn([f64; 3]) -> [f64; 3]) -> TetMesh {
        let m = n + 1;
        let node = |x: u32, y: u32, z: u32| (z * m + y) * m + x;
        let points = (0..m * m * m)
            .map(|i| {
                place([i % m, i / m % m, i / (m * m)].map(|v| (f64::from(v) - f64::from(n) / 2.0) * edge))
            })
            .collect();
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut tetrahedra = Vec::new();
        for cube in 0..n * n * n {
            let corner = [cube % n, cube / n % n, cube / (n * n)];
            for order in orders {
                let mut at = corner;
                let mut nodes = [node(at[0], at[1], at[2]); 4];
                for (k, axis) in order.into_iter().enumerate() {
                    at[axis] += 1;
                    nodes[k + 1] = node(at[0], at[1], at[2]);
                }
                tetrahedra.push(nodes);
            }
        }
        TetMesh { points, tetrahedra }
    }

    fn sheared([x, y, z]: [f64; 3]) -> [f64; 3] {
        [1.1 * x + 0.2 * y + 1.3, 0.95 * y - 0.1 * z, z - 0.7]
    }

    fn params() -> RasteriseParams {
        RasteriseParams { margin_vox: 3, edges: SurfaceEdges::Sharp, ..RasteriseParams::new([0.5, 0.6, 0.8]) }
    }

    #[test]
    fn an_affine_motion_of_the_nodes_is_that_motion_in_every_voxel() {
        let (rest, moved) = (block(3, 4.0, |p| p), block(3, 4.0, sheared));
        let p = rasterise_pair(&rest, &rest, &moved, &params()).unwrap();
        let muscle = p.muscle.as_ref().unwrap();
        for i in 0..p.grid().len() {
            let x = p.grid().world_from_voxel(p.grid().position(i).map(|v| v as f64));
            let inside = x.iter().all(|c| c.abs() < 6.0 - 1e-6);
            let outside = x.iter().any(|c| c.abs() > 6.0 + 1e-6);
            assert!(!inside || muscle.data()[i], "no holes: {x:?}");
            assert!(!outside || !muscle.data()[i], "{x:?} is outside");
            assert_eq!(muscle.data()[i], p.truth.is_valid(i));
            if muscle.data()[i] {
                let to = sheared(x);
                for a in 0..3 {
                    let d_vox = (to[a] - x[a]) / p.grid().spacing_mm()[a];
                    assert!(
                        (d_vox - f64::from(p.truth.vector_vox(i)[a])).abs()
                            < tolerances::EXACT_DISPLACEMENT_VOX
                    );
                }
            }
        }
        // 12³ mm³ of 0.24 mm³ voxels, give or take the surface.
        assert!((muscle.count() as f64 / (1728.0 / 0.24) - 1.0).abs() < 0.1, "{}", muscle.count());
    }

    #[test]
    fn whole_voxel_motion_gives_a_shifted_copy_with_either_kind_of_edges() {
        let shift = |[x, y, z]: [f64; 3]| [x + 1.0, y - 0.6, z + 1.6];
        let (rest, moved) = (block(2, 4.2, |p| p), block(2, 4.2, shift));
        for edges in [SurfaceEdges::Sharp, SurfaceEdges::PartialVolume] {
            let p = rasterise_pair(&rest, &rest, &moved, &RasteriseParams { edges, ..params() }).unwrap();
            let size = p.grid().size();
            for i in 0..p.grid().len() {
                let [x, y, z] = p.grid().position(i);
                if p.muscle.as_ref().unwrap().data()[i] && x + 2 < size[0] && y >= 1 && z + 2 < size[2] {
                    let difference = p.fixed.data()[i] - p.moving.at([x + 2, y - 1, z + 2]);
                    assert!(difference.abs() < 1e-5, "{edges:?} {difference} at {x} {y} {z}");
                }
            }
        }
    }

    #[test]
    fn partial_volume_changes_the_surface_alone() {
        let rest = block(2, 4.0, |p| p);
        let draw =
            |edges| rasterise_pair(&rest, &rest, &rest, &RasteriseParams { edges, ..params() }).unwrap();
        let (sharp, soft) = (draw(SurfaceEdges::Sharp), draw(SurfaceEdges::PartialVolume));
        assert_eq!(sharp.truth.component_vox(0).len(), soft.truth.component_vox(0).len());
        let mut changed = 0;
        for i in 0..sharp.grid().len() {
            let x = sharp.grid().world_from_voxel(sharp.grid().position(i).map(|v| v as f64));
            let deep = x.iter().all(|c| c.abs() < 3.0) || x.iter().any(|c| c.abs() > 5.0);
            let same = sharp.fixed.data()[i] == soft.fixed.data()[i];
            assert!(!deep || same, "{x:?}");
            changed += usize::from(!same);
        }
        assert!(changed > 100);
    }

    #[test]
    fn meshes_that_do_not_belong_together_are_refused() {
        let rest = block(1, 4.0, |p| p);
        let refused =
            |moving: &TetMesh| rasterise_pair(&rest, &rest, moving, &params()).unwrap_err().to_string();
        let mut other = rest.clone();
        other.tetrahedra[2].swap(0, 1);
        assert!(refused(&other).contains("connectivity"), "{}", refused(&other));
        other.tetrahedra.pop();
        assert!(refused(&other).contains("number of tetrahedra"));
        other.points.push([0.0; 3]);
        assert!(refused(&other).contains("number of points"));
        let mut broken = rest.clone();
        broken.points[3][1] = f64::NAN;
        assert!(refused(&broken).contains("node 3"));
        let empty = TetMesh { points: rest.points.clone(), tetrahedra: vec![] };
        assert!(refused(&empty).contains("no tetrahedra"));
        let endless = RasteriseParams::new([1e-12; 3]);
        assert!(matches!(rasterise_pair(&rest, &rest, &rest, &endless), Err(PhantomError::Grid(_))));
    }

    #[test]
    fn flat_tetrahedra_hold_nothing() {
        let flat = TetMesh {
            points: vec![[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [4.0, 4.0, 0.0]],
            tetrahedra: vec![[0, 1, 2, 3]],
        };
        let p = rasterise_pair(&flat, &flat, &flat, &params()).unwrap();
        assert_eq!(p.muscle.unwrap().count(), 0);
    }
}
