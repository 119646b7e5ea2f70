//! Maps over planes, and the panels that they are drawn in: of a pair's planes, and of a picture alone.

use crate::error::ReportError;
use crate::number::{self, nice_ceiling};
use crate::pictures::colour::{Ramp, Rgb, orientation_wheel, phase_wheel, wheel};
use crate::pictures::overlay::{Canvas, letters_svg, outline_svg};
use crate::pictures::panel::{Legend, MOTION_WHEEL, NO_ESTIMATE, Panel, Picture, Scaled, image, wheel_uri};
use crate::pictures::picture::{LONGEST_SIDE, Raster};
use crate::pictures::planes::{Plane, planes_through};
use veloxel_core::{Control, Flow, Grid, Mask, Stopped, Volume};
use veloxel_measure::{finite_quantiles, is_physical};

/// A map over planes, and how it is coloured.
#[derive(Clone, Copy)]
pub(crate) enum Map<'a> {
    /// A value for each index through a ramp.
    Values(&'a dyn Fn(usize) -> f32, Scaled),
    /// A volume through a ramp.
    Volume(&'a Volume<f32>, Scaled),
    /// Angles (radians) through a wheel, with a strength that follows the energy.
    Angle(&'a Volume<f32>, &'a Volume<f32>, Wheel),
    /// A field in the plane through the wheel of directions, with full colour at this many millimetres (or pixels).
    Motion(&'a Flow, f64),
}

/// Colours of angles.
#[derive(Clone, Copy)]
pub(crate) struct Wheel {
    /// Number of times that the colours repeat in a whole turn.
    times: f32,
    pub colour: fn([f32; 2]) -> Rgb,
    /// The colour at a position (right, down) of the legend's disc, and the legend's text.
    disc: fn([f32; 2]) -> Rgb,
    alt: &'static str,
    note: &'static str,
}

impl Wheel {
    /// Colours of orientations: they repeat after half a turn, because opposite directions are the same.
    pub(crate) const ORIENTATION: Self = Self {
        times: 2.0,
        colour: orientation_wheel,
        disc: orientation_disc,
        alt: "Colours of orientations around a disc, black in its middle",
        note: "a colour lies in the direction across the edge or line; dark: little energy",
    };
    /// Colours of phases: 0 is to the right.
    pub(crate) const PHASE: Self = Self {
        times: 1.0,
        colour: phase_wheel,
        disc: phase_wheel,
        alt: "Colours of phases around a disc, grey in its middle",
        note: "light: bright line (0); dark: dark line (π); red and blue: the two edges (±π/2)",
    };

    /// The vector that [`colour`](Self::colour) takes.
    pub fn vector(self, angle_rad: f32, strength: f32) -> [f32; 2] {
        let (sin, cos) = (self.times * angle_rad).sin_cos();
        [cos, sin].map(|c| c * strength)
    }
}

fn orientation_disc([right, down]: [f32; 2]) -> Rgb {
    orientation_wheel(Wheel::ORIENTATION.vector(down.atan2(right), right.hypot(down)))
}

impl Map<'_> {
    /// The one plane of a map over a picture, which may have another size than the panel.
    fn own_plane(&self) -> Option<Plane> {
        let grid = match self {
            Self::Values(..) => return None,
            Self::Volume(volume, _) | Self::Angle(volume, ..) => volume.grid(),
            Self::Motion(flow, _) => flow.grid(),
        };
        let mut planes = planes_through(grid, [0; 3]);
        planes.pop().filter(|_| planes.is_empty())
    }

    /// A PNG data URI, and whether something is missing in it.
    fn to_data_uri(self, plane: &Plane, control: &Control) -> Result<(String, bool), ReportError> {
        let plane = &self.own_plane().unwrap_or_else(|| plane.clone());
        let values = |value: &dyn Fn(usize) -> f32, Scaled { ramp, low, high }| {
            let raster = Raster::sample(plane, LONGEST_SIDE, |i| [value(i)], control)?;
            Ok((raster.to_data_uri(ramp, low as f32, high as f32)?, raster.has_gaps()))
        };
        let vectors = |vector: &dyn Fn(usize) -> [f32; 2], colour: &dyn Fn([f32; 2]) -> Rgb| {
            let raster = Raster::sample(plane, LONGEST_SIDE, vector, control)?;
            Ok((raster.to_data_uri_by(colour)?, raster.has_gaps()))
        };
        match self {
            Self::Values(value, scaled) => values(value, scaled),
            Self::Volume(volume, scaled) => values(&|i| volume.data()[i], scaled),
            Self::Angle(angle, energy, wheel) => {
                let strength = strength(energy);
                // As vectors, angles can be averaged where a picture is shrunk.
                vectors(&|i| wheel.vector(angle.data()[i], strength(energy.data()[i])), &wheel.colour)
            }
            Self::Motion(flow, scale) => vectors(&|i| plane.page_vector_mm(flow.vector_vox(i)), &|vector| {
                wheel(vector.map(|c| c / scale as f32))
            }),
        }
    }

    /// The legend of the map's colours; the note of a ramp names its unit, the note of a field is its unit.
    fn legend(self, note: &str) -> Result<Legend, ReportError> {
        let (disc, alt, note): (fn([f32; 2]) -> Rgb, _, _) = match self {
            Self::Values(_, scaled) | Self::Volume(_, scaled) => return Ok(scaled.legend(note)),
            Self::Angle(.., Wheel { disc, alt, note, .. }) => (disc, alt, note.to_owned()),
            Self::Motion(_, scale) => {
                let rim = number::text(scale);
                (wheel, MOTION_WHEEL, format!("rim: {rim} {note}; longer vectors are darker"))
            }
        };
        Ok(Legend::Wheel { uri: wheel_uri(disc)?, alt, note })
    }
}

/// The planes that all panels of a section show.
pub(crate) struct Stage<'a> {
    pub planes: Vec<(Plane, Canvas)>,
    pub longest_mm: f64,
    /// The unit of lengths, `mm` or `px`.
    pub unit: &'static str,
    /// The mask that is drawn as an outline.
    pub mask: Option<&'a Mask>,
    /// Number of pictures in a row, if they are slices of one stack; else 0.
    pub columns: usize,
    /// The channel that is asked before every picture whether to go on.
    pub control: &'a Control,
    /// Name of a panel's pictures; the panel's own name without one.
    pub picture: Option<&'static str>,
}

impl<'a> Stage<'a> {
    pub fn new(grid: &Grid, planes: Vec<Plane>, control: &'a Control) -> Self {
        let extents = planes.iter().flat_map(|plane| [plane.across.extent_mm(), plane.down.extent_mm()]);
        let longest_mm = extents.fold(0.0, f64::max);
        let planes = planes.into_iter().map(|plane| (Canvas::of(&plane, longest_mm), plane));
        Self {
            planes: planes.map(|(canvas, plane)| (plane, canvas)).collect(),
            longest_mm,
            unit: if is_physical(grid) { "mm" } else { "px" },
            mask: None,
            columns: 0,
            control,
            picture: None,
        }
    }

    /// The stage of a picture alone.
    pub fn of_picture(grid: &Grid, control: &'a Control) -> Self {
        Self::new(grid, planes_through(grid, [0; 3]).drain(..1).collect(), control)
    }

    /// A panel whose layers the reader switches between; a single layer needs no switch. The legend is that of the first layer.
    pub fn layers(
        &self,
        title: &'static str,
        caption: &str,
        layers: &[(&'static str, Map<'_>)],
        note: Option<&str>,
    ) -> Result<Panel, ReportError> {
        let mut panel = Panel {
            title,
            caption: caption.to_owned(),
            layers: if layers.len() > 1 {
                layers.iter().map(|(name, _)| *name).collect()
            } else {
                Vec::new()
            },
            legend: note.map(|note| layers[0].1.legend(note)).transpose()?,
            columns: self.columns,
            ..Panel::default()
        };
        for (plane, canvas) in &self.planes {
            let mut content = String::new();
            for (k, (_, map)) in layers.iter().enumerate() {
                self.control.check()?;
                let (uri, has_gaps) = map.to_data_uri(plane, self.control)?;
                if has_gaps {
                    panel.gap = NO_ESTIMATE;
                }
                let picture = image(&uri, *canvas);
                content.push_str(&match layers.len() {
                    1 => picture,
                    _ => format!(r#"<g class="layer layer-{k}">{picture}</g>"#),
                });
            }
            panel.pictures.push(self.framed(plane, *canvas, title, &content)?);
        }
        Ok(panel)
    }

    /// A panel of one map, with its legend.
    pub fn panel(
        &self,
        title: &'static str,
        caption: &str,
        map: Map<'_>,
        note: &str,
    ) -> Result<Panel, ReportError> {
        self.layers(title, caption, &[("", map)], Some(note))
    }

    /// The content with the mask's outline and the letters above.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(crate) fn framed(
        &self,
        plane: &Plane,
        canvas: Canvas,
        title: &str,
        content: &str,
    ) -> Result<Picture, Stopped> {
        let outline = |mask: &Mask| {
            let inside = |i| [f32::from(u8::from(mask.data()[i]))];
            let inside = Raster::sample(plane, LONGEST_SIDE, inside, self.control)?;
            Ok(outline_svg(&inside, canvas, "outline"))
        };
        let outline = self.mask.map(outline).transpose()?;
        let content = format!("{content}{}{}", outline.unwrap_or_default(), letters_svg(plane, canvas));
        let (name, label) = match plane.name {
            "" => (self.picture.unwrap_or(title), String::new()),
            name if self.columns == 0 => (name, format!("{name}, {}", plane.position)),
            name => (name, plane.position.clone()),
        };
        Ok(Picture { label, ..Picture::framed(canvas, name, &content) })
    }

    /// A round length that 99 % of a field's shown vectors do not exceed; it gets full colour.
    pub(crate) fn motion_scale(&self, field: &Flow) -> f64 {
        full_colour(self.planes.iter().flat_map(|(plane, _)| {
            plane.indices().map(move |i| {
                let [u, v] = plane.page_vector_mm(field.vector_vox(i));
                u.hypot(v)
            })
        }))
    }

    /// A round number that hardly any shown value exceeds.
    pub fn limit(&self, at: impl Fn(usize) -> f32) -> f64 {
        nice_ceiling(self.quantiles(at, [0.99]).map_or(0.0, |[most]| most))
    }

    /// The grey ramp of a picture, between the 0.5 and 99.5 percentiles of what is shown of it.
    pub fn grey(&self, image: &Volume<f32>) -> Scaled {
        let [low, high] = self.quantiles(|i| image.data()[i], [0.005, 0.995]).unwrap_or([0.0, 1.0]);
        Scaled { ramp: Ramp::Grey, low, high }
    }

    fn quantiles<const N: usize>(&self, at: impl Fn(usize) -> f32, shares: [f64; N]) -> Option<[f64; N]> {
        finite_quantiles(self.planes.iter().flat_map(|(plane, _)| plane.indices().map(&at)), shares)
    }
}

/// A round length that 99 % of the finite lengths do not exceed; 1 without any.
pub(crate) fn full_colour(lengths: impl IntoIterator<Item = f32>) -> f64 {
    finite_quantiles(lengths, [0.99]).map_or(1.0, |[most]| nice_ceiling(most))
}

/// Strength of a response's colour, 0 to 1, from its energy: it follows the amplitude, and is full for the strongest 5 % of the
/// responses.
pub(crate) fn strength(energy: &Volume<f32>) -> impl Fn(f32) -> f32 + use<> {
    let full = typical_maximum(energy, 0.95).max(f64::MIN_POSITIVE) as f32;
    move |energy| (energy / full).max(0.0).sqrt().min(1.0)
}

/// The value that only a share of the finite ones exceeds; 0 if there are none.
fn typical_maximum(volume: &Volume<f32>, share: f64) -> f64 {
    finite_quantiles(volume.data().iter().copied(), [share]).map_or(0.0, |[most]| most)
}

/// Energies from 0 to a round number that 99 % of them do not exceed.
pub(crate) fn energy_map(energy: &Volume<f32>) -> Map<'_> {
    let high = nice_ceiling(typical_maximum(energy, 0.99));
    Map::Volume(energy, Scaled { ramp: Ramp::Heat, low: 0.0, high })
}
