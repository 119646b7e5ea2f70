//! What the heart phantom looks like, as a function of material points.

use crate::centred::CentredFrame;
use crate::hearts::heart_motion::HeartGeometry;
use crate::motions::motion::smoothstep;
use crate::textures::texture::{SpeckleTexture, Texture};

/// An ultrasound-like left ventricle: bright muscle, dark blood, grey surroundings, all times a speckle
/// pattern.
///
/// Beside the muscle it shows what a real picture shows: a brighter epicardial rim, papillary muscles, the
/// closed valve, a thin-walled atrium above it and the dark crescent of the right ventricle; edges are about
/// two voxels wide. The argument is a material point at end-diastole, mm from the grid's centre.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeartPicture {
    geometry: HeartGeometry,
    speckle: SpeckleTexture,
    /// Width of edges, mm.
    edge_mm: f64,
}

impl HeartPicture {
    const BLOOD: f64 = 0.10;
    const MUSCLE: f64 = 0.80;
    const SURROUNDINGS: f64 = 0.30;

    pub(crate) fn new(frame: &CentredFrame, geometry: HeartGeometry, seed: u64) -> Self {
        let spacing = frame.grid().spacing_mm().into_iter().fold(0.0, f64::max);
        Self { geometry, speckle: SpeckleTexture::new(frame, seed), edge_mm: 2.0 * spacing }
    }

    /// How far a surface at a signed distance holds a point inside: 1 well below 0 mm, ½ at 0, 0 well above it.
    fn inside(&self, distance_mm: f64) -> f64 {
        1.0 - smoothstep(distance_mm / self.edge_mm + 0.5)
    }

    /// Mean brightness of the tissue at a material point.
    fn tissue(&self, [x, y, z]: [f64; 3]) -> f64 {
        let unit = self.geometry.unit_mm;
        let r = x.hypot(y);
        let endo = self.geometry.endo_square_mm(z).sqrt();
        let epi = self.geometry.epi_square_mm(z).max(0.0).sqrt();
        let above_base = z - HeartGeometry::BASE * unit;

        // The right ventricle: a ball beside the left one, cut off by its wall.
        let right = {
            let [dx, dy, dz] =
                [(x + 30.0 * unit) / (19.0 * unit), y / (27.0 * unit), (z - 8.0 * unit) / (40.0 * unit)];
            let radius = (dx * dx + dy * dy + dz * dz).sqrt();
            self.inside((radius - 1.0) * 19.0 * unit)
        };
        let mut value = Self::SURROUNDINGS + right * (Self::BLOOD - Self::SURROUNDINGS);
        let right_rim = 4.0 * right * (1.0 - right);
        value += 0.30 * right_rim;

        // The left wall: thick below the base, thin around the atrium.
        let thin = smoothstep(above_base / (14.0 * unit));
        let outer = epi + thin * (endo + 3.0 * unit - epi);
        let wall = self.inside(r - outer);
        // Between epicardium and endocardium the muscle is a little darker in the middle, as fibres across
        // the beam are.
        let depth = ((r - endo) / (outer - endo).max(1e-9)).clamp(0.0, 1.0);
        let rim = 0.12 * (2.0 * depth - 1.0).powi(2);
        value += wall * (Self::MUSCLE - 0.08 + rim - value);

        let blood = self.inside(r - endo);
        value += blood * (Self::BLOOD - value);
        // The closed valve between ventricle and atrium, and two papillary muscles.
        let leaflet = above_base + 5.0 * unit * (1.0 - (r / endo.max(unit)).min(1.0));
        let valve = blood * (-(leaflet / (1.4 * unit)).powi(2)).exp();
        value += 0.6 * valve * (Self::MUSCLE - value);
        for (px, py) in [(11.0, 12.0), (8.0, -14.0)] {
            let [dx, dy, dz] =
                [(x - px * unit) / 4.0, (y - py * unit) / 4.0, (z + 3.0 * unit) / 14.0].map(|d| d / unit);
            let papillary = self.inside(((dx * dx + dy * dy + dz * dz).sqrt() - 1.0) * 4.0 * unit);
            value += blood * papillary * (0.9 * Self::MUSCLE - value);
        }
        value
    }
}

impl Texture for HeartPicture {
    fn intensity(&self, material_mm: [f64; 3]) -> f64 {
        // Speckle multiplies: bright tissue scatters more. Its mean is about 0.27, its largest value 1.
        let speckle = 0.5 + 1.5 * self.speckle.intensity(material_mm);
        // Compressed, as displays are: linear in the dark, never above 1.
        let brightness = self.tissue(material_mm) * speckle;
        brightness / (1.0 + brightness.powi(4)).sqrt().sqrt()
    }
}
