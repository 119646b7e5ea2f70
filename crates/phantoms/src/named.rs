//! Phantoms by name, as the parts that a program writes to files: images, true fields, labels, outlines, local features.

use crate::catalogue::{Case, MotionKind, TextureKind};
use crate::edge_to_line::EdgeToLine;
use crate::error::PhantomError;
use crate::hearts::cine::{CineParams, CinePhantom};
use crate::hearts::heart::{HeartParams, HeartPhantom};
use crate::noise::Noise;
use crate::phantom::Phantom;
use veloxel_core::{ContourSet, Control, Flow, Grid, Sequence, SystemMemory, Volume};

/// A phantom that can be made by its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedPhantom {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Two images and the motion between them, in 2-D or 3-D.
    Pair(MotionKind),
    /// A whole beat in 3-D.
    Heart,
    /// A short-axis cine in 2-D or 3-D.
    Cine,
    /// A picture with true features.
    EdgeToLine,
}

const fn pair(name: &'static str, kind: MotionKind, summary: &'static str) -> NamedPhantom {
    NamedPhantom { name, summary, kind: Kind::Pair(kind) }
}

/// Every phantom that has a name.
pub const NAMED: [NamedPhantom; 10] = [
    pair("shift", MotionKind::Shift, "a shift by a fraction of voxels"),
    pair("rotation", MotionKind::Rotation, "a rotation, in 3-D about an oblique axis"),
    pair("affine", MotionKind::Affine, "stretches and shears"),
    pair("twist", MotionKind::Twist, "a vortex, in 3-D a torsion: volumes stay"),
    pair("beating-shell", MotionKind::BeatingShell, "a circle or sphere of muscle that contracts"),
    pair("twisting-shell", MotionKind::TwistingShell, "a shell that contracts, shortens and twists"),
    pair("sinusoid", MotionKind::Sinusoid, "waves of motion along every axis"),
    NamedPhantom { name: "heart", summary: "a beat of a left ventricle in 3-D", kind: Kind::Heart },
    NamedPhantom { name: "cine", summary: "a short-axis cine with its outlines", kind: Kind::Cine },
    NamedPhantom {
        name: "edge-to-line",
        summary: "a circle on which an edge becomes a line, with its local features",
        kind: Kind::EdgeToLine,
    },
];

/// Settings of a phantom; one that the phantom does not use is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomSettings {
    /// Voxels along each axis: two numbers or three.
    pub size: Vec<usize>,
    /// Texture of a pair; smooth without it.
    pub texture: Option<TextureKind>,
    /// Standard deviation of the noise, in intensities of [0, 1]; without it pairs have none, hearts and cines their own.
    pub noise_sd: Option<f64>,
    /// Which texture and which noise a pair has; without it every pair has those of the tests.
    pub seed: Option<u64>,
}

/// A part of a phantom under its name.
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomPart {
    /// Its name: `fixed`, `truth`.
    pub name: String,
    /// What it is.
    pub content: PhantomContent,
}

/// The content of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum PhantomContent {
    /// An image.
    Image(Volume<f32>),
    /// Labels: 1 inside, 0 elsewhere.
    Labels(Volume<i32>),
    /// A true field on the grid of the fixed image, or of frame 0.
    Flow(Flow),
    /// Frames over time.
    Sequence(Sequence),
    /// True outlines of a cine with so many milliseconds between frames.
    Contours {
        /// The outlines.
        outlines: ContourSet,
        /// The grid of every frame.
        grid: Grid,
        /// Frames of a beat.
        frames: usize,
        /// Milliseconds between frames.
        frame_interval_ms: f64,
    },
}

/// Least number of voxels along an axis; a cine may have fewer slices.
const LEAST_SIDE: usize = 8;
/// Which noise.
const NOISE_SEED: u64 = 11;

/// The parts of a phantom one after the other, so that not all need to be in memory.
pub type PhantomParts<'a> = Box<dyn Iterator<Item = Result<PhantomPart, PhantomError>> + 'a>;

impl NamedPhantom {
    /// The phantom of a name.
    ///
    /// # Errors
    /// [`PhantomError::Unknown`] lists the names there are.
    pub fn of(name: &str) -> Result<&'static Self, PhantomError> {
        NAMED.iter().find(|phantom| phantom.name == name).ok_or_else(|| PhantomError::Unknown {
            got: name.to_owned(),
            known: NAMED.map(|phantom| phantom.name).join(", "),
        })
    }

    /// Makes it; `control` is asked whether to go on, between images.
    ///
    /// # Errors
    /// [`PhantomError::Axes`], [`PhantomError::TooSmall`], [`PhantomError::Unused`], [`PhantomError::Noise`],
    /// [`PhantomError::Memory`], [`PhantomError::NeedsVolume`]; [`PhantomError::Stopped`].
    pub fn parts<'a>(
        &self,
        settings: &PhantomSettings,
        control: &'a Control,
    ) -> Result<PhantomParts<'a>, PhantomError> {
        let grid = self.grid(settings)?;
        let noise = self.noise(settings)?;
        control.check()?;
        match self.kind {
            Kind::Pair(motion) => {
                let texture = settings.texture.unwrap_or(TextureKind::Smooth);
                let has_wall = matches!(motion, MotionKind::BeatingShell | MotionKind::TwistingShell);
                if texture == TextureKind::Wall && !has_wall {
                    return Err(self.unused("the texture of a wall"));
                }
                let case = Case { motion, texture, noise: noise.unwrap_or_default() };
                let phantom = match settings.seed {
                    Some(seed) => case.build_textured(&grid, seed),
                    None => case.build(&grid),
                };
                Ok(pair_parts(phantom))
            }
            Kind::Heart => {
                let own = HeartParams::default();
                let noise = noise.unwrap_or(own.noise);
                Ok(heart_parts(HeartPhantom::new(HeartParams { grid, noise, ..own })?, control))
            }
            Kind::Cine => {
                let own = CineParams::default();
                let noise = noise.unwrap_or(own.noise);
                Ok(cine_parts(CinePhantom::new(CineParams { grid, noise, ..own })?, control))
            }
            Kind::EdgeToLine => {
                let [nx, ny, _] = grid.size();
                Ok(edge_parts(&EdgeToLine::new([nx, ny])?))
            }
        }
    }

    fn unused(&self, what: &'static str) -> PhantomError {
        PhantomError::Unused { phantom: self.name, what }
    }

    /// The grid: voxels of 1 mm, but for hearts, whose field of view stays.
    fn grid(&self, settings: &PhantomSettings) -> Result<Grid, PhantomError> {
        let size = &settings.size;
        let axes = || PhantomError::Axes { phantom: self.name, got: size.len() };
        let grid = match (self.kind, &size[..]) {
            (Kind::Pair(_) | Kind::Cine | Kind::EdgeToLine, &[nx, ny]) => Grid::image(nx, ny)?,
            (Kind::Pair(_) | Kind::Heart | Kind::Cine, &[nx, ny, nz]) => Grid::volume(nx, ny, nz)?,
            _ => return Err(axes()),
        };
        let planes = if matches!(self.kind, Kind::Cine) { 2 } else { size.len() };
        if let Some(&least) = size[..planes].iter().min().filter(|&&side| side < LEAST_SIDE) {
            return Err(PhantomError::TooSmall { least: LEAST_SIDE, got: least });
        }
        require_memory(self.bytes_per_voxel() * grid.len() as u64)?;
        let view_mm = |own: &Grid, voxels: usize| own.spacing_mm()[0] * own.size()[0] as f64 / voxels as f64;
        let spacing = match self.kind {
            Kind::Heart => {
                let shortest = size.iter().copied().min().unwrap_or(1);
                [view_mm(&HeartParams::default().grid, shortest); 3]
            }
            Kind::Cine => {
                let px_mm = view_mm(&CineParams::default().grid, size[0].min(size[1]));
                [px_mm, px_mm, 8.0]
            }
            Kind::Pair(_) | Kind::EdgeToLine => return Ok(grid),
        };
        let spacing = if size.len() == 2 { [spacing[0], spacing[1], 1.0] } else { spacing };
        Ok(grid.with_spacing_mm(spacing)?)
    }

    /// Most memory that a voxel takes: all images of the phantom, and one field.
    fn bytes_per_voxel(&self) -> u64 {
        let images = match self.kind {
            Kind::Pair(_) => 2,
            Kind::Heart => HeartParams::default().frames,
            Kind::Cine => CineParams::default().frames,
            Kind::EdgeToLine => 3,
        };
        4 * (images as u64 + 5)
    }

    fn noise(&self, settings: &PhantomSettings) -> Result<Option<Noise>, PhantomError> {
        if settings.texture.is_some() && !matches!(self.kind, Kind::Pair(_)) {
            return Err(self.unused("a texture"));
        }
        if settings.seed.is_some() && !matches!(self.kind, Kind::Pair(_)) {
            return Err(self.unused("a seed"));
        }
        let Some(sd) = settings.noise_sd else { return Ok(None) };
        if matches!(self.kind, Kind::EdgeToLine) {
            return Err(self.unused("noise"));
        }
        match sd {
            0.0 => Ok(Some(Noise::None)),
            sd if (0.0..=1.0).contains(&sd) => {
                Ok(Some(Noise::Gaussian { sd, seed: settings.seed.unwrap_or(NOISE_SEED) }))
            }
            got => Err(PhantomError::Noise { got }),
        }
    }
}

fn require_memory(needed: u64) -> Result<(), PhantomError> {
    let free = SystemMemory::now().map(|memory| memory.available_bytes);
    match free.filter(|&free| needed > free) {
        Some(free) => Err(PhantomError::Memory { needed, free }),
        None => Ok(()),
    }
}

fn part(name: impl Into<String>, content: PhantomContent) -> Result<PhantomPart, PhantomError> {
    Ok(PhantomPart { name: name.into(), content })
}

fn pair_parts(phantom: Phantom) -> PhantomParts<'static> {
    let muscle = phantom.muscle.map(|muscle| muscle.map(|&inside| i32::from(inside)));
    let parts = [
        part("fixed", PhantomContent::Image(phantom.fixed)),
        part("moving", PhantomContent::Image(phantom.moving)),
        part("truth", PhantomContent::Flow(phantom.truth)),
    ];
    let muscle = muscle.map(|muscle| part("muscle", PhantomContent::Labels(muscle)));
    Box::new(parts.into_iter().chain(muscle))
}

/// Frames one after the other, as a sequence.
fn frames(
    count: usize,
    interval_ms: f64,
    control: &Control,
    frame: impl Fn(usize) -> Volume<f32>,
) -> Result<PhantomContent, PhantomError> {
    let mut frames = Vec::new();
    for t in 0..count {
        control.check()?;
        frames.push(frame(t));
    }
    Ok(PhantomContent::Sequence(Sequence::new(frames, Some(interval_ms))?))
}

fn heart_parts(heart: HeartPhantom, control: &Control) -> PhantomParts<'_> {
    let (count, interval_ms) = (heart.frame_count(), heart.params().frame_interval_ms);
    let make = move |nth: usize| {
        control.check()?;
        match nth {
            0 => part("heart", frames(count, interval_ms, control, |t| heart.frame(t))?),
            1 => {
                let muscle = heart.muscle(0).map(|&inside| i32::from(inside));
                part("muscle_000", PhantomContent::Labels(muscle))
            }
            t => part(format!("truth_{:03}", t - 1), PhantomContent::Flow(heart.motion(0, t - 1))),
        }
    };
    Box::new((0..=count).map(make))
}

fn cine_parts(cine: CinePhantom, control: &Control) -> PhantomParts<'_> {
    let (count, frame_interval_ms) = (cine.params().frames, cine.params().frame_interval_ms);
    let make = move |nth: usize| {
        control.check()?;
        match nth {
            0 => part("cine", frames(count, frame_interval_ms, control, |t| cine.frame(t))?),
            1 => {
                let (outlines, grid) = (cine.contours(), cine.params().grid.clone());
                part(
                    "contours",
                    PhantomContent::Contours { outlines, grid, frames: count, frame_interval_ms },
                )
            }
            t => part(format!("truth_{:03}", t - 1), PhantomContent::Flow(cine.motion(t - 1))),
        }
    };
    Box::new((0..=count).map(make))
}

fn edge_parts(circle: &EdgeToLine) -> PhantomParts<'static> {
    let [orientation, phase] = circle.maps();
    let parts = [
        part("image", PhantomContent::Image(circle.image())),
        part("orientation", PhantomContent::Image(orientation)),
        part("phase", PhantomContent::Image(phase)),
    ];
    Box::new(parts.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(size: &[usize]) -> PhantomSettings {
        PhantomSettings { size: size.to_vec(), texture: None, noise_sd: None, seed: None }
    }

    fn made(name: &str, settings: &PhantomSettings) -> Result<Vec<PhantomPart>, PhantomError> {
        NamedPhantom::of(name)?.parts(settings, &Control::default())?.collect()
    }

    #[test]
    fn every_phantom_is_made_in_the_dimensions_it_has() {
        for NamedPhantom { name, .. } in NAMED {
            let made = [&[24, 20][..], &[16, 16, 16]].map(|size| made(name, &settings(size)));
            let names = made.each_ref().map(|parts| {
                parts.as_ref().map(|parts| parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>())
            });
            assert!(names.iter().any(Result::is_ok), "{name}: {names:?}");
            for names in names.into_iter().flatten() {
                assert!(names.len() >= 3, "{name}: {names:?}");
                assert!(names.iter().enumerate().all(|(i, one)| !names[..i].contains(one)), "{names:?}");
            }
        }
        assert!(
            made("heart", &settings(&[16, 16])).is_err()
                && made("edge-to-line", &settings(&[16; 3])).is_err()
        );
    }

    #[test]
    fn the_parts_of_a_pair_are_those_of_its_case() {
        let wanted = PhantomSettings { noise_sd: Some(0.05), ..settings(&[24, 20]) };
        let parts = made("beating-shell", &wanted).unwrap();
        let noise = Noise::Gaussian { sd: 0.05, seed: NOISE_SEED };
        let case = Case { motion: MotionKind::BeatingShell, texture: TextureKind::Smooth, noise };
        let phantom = case.build(&Grid::image(24, 20).unwrap());
        assert_eq!(parts[0].content, PhantomContent::Image(phantom.fixed));
        let PhantomContent::Flow(truth) = &parts[2].content else { panic!("{:?}", parts[2].name) };
        assert_eq!(truth.vector_vox(100), phantom.truth.vector_vox(100));
        assert_eq!(
            parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(),
            ["fixed", "moving", "truth", "muscle"]
        );
    }

    #[test]
    fn seeds_change_texture_and_noise_and_leave_the_motion() {
        let of = |seed| {
            let wanted = PhantomSettings { noise_sd: Some(0.05), seed, ..settings(&[24, 20]) };
            made("rotation", &wanted).unwrap()
        };
        let [tests, one, again, two] = [None, Some(1), Some(1), Some(2)].map(of);
        assert_eq!(one, again);
        for nth in 0..2 {
            assert!(one[nth] != two[nth] && one[nth] != tests[nth], "{}", one[nth].name);
        }
        assert_eq!(one[2], two[2], "the truth");
        let wanted = PhantomSettings { seed: Some(1), ..settings(&[24, 24, 24]) };
        assert!(made("heart", &wanted).unwrap_err().to_string().contains("does not use a seed"));
    }

    #[test]
    fn what_cannot_be_made_is_refused_in_one_line() {
        let text = |name: &str, settings: &PhantomSettings| {
            let error = made(name, settings).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            error
        };
        assert!(text("none_such", &settings(&[16, 16])).contains("edge-to-line"));
        assert!(text("shift", &settings(&[0, 16])).contains('0'));
        assert!(text("shift", &settings(&[4, 16])).contains("at least 8"));
        assert!(text("shift", &settings(&[16])).contains("2 or 3"));
        if SystemMemory::now().is_some() {
            assert!(text("shift", &settings(&[1 << 20, 1 << 19])).contains("GiB"));
        }
        let walls = PhantomSettings { texture: Some(TextureKind::Wall), ..settings(&[16, 16]) };
        assert!(text("shift", &walls).contains("does not use"));
        assert!(text("cine", &walls).contains("does not use"));
        let noisy = |sd| PhantomSettings { noise_sd: Some(sd), ..settings(&[16, 16]) };
        assert!(text("edge-to-line", &noisy(0.1)).contains("does not use"));
        assert!(text("shift", &noisy(f64::NAN)).contains("NaN"));
    }

    #[test]
    fn a_stop_ends_it() {
        let control = Control::default();
        let parts = NamedPhantom::of("heart").unwrap().parts(&settings(&[16; 3]), &control).unwrap();
        control.stop();
        assert!(matches!(parts.collect::<Result<Vec<_>, _>>(), Err(PhantomError::Stopped(_))));
    }
}
