//! Table 3, the time of each stage of a frame, and section 7.2, the memory of the engine's buffers.

use super::published::{MEMORY_MB, SIZES};
use super::speed::{SCALES, film, parameters};
use super::{Extent, paper};
use crate::BenchError;
use crate::experiments::{Comparison, Machine, Row, middle};
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::valid_median::{MedianWindow, Planes, ValidMedian};
use veloxel_kernels::phase::gabor::{
    Bank, Filters, Levels, LocalPhase, LocalPhaseOutputs, ORIENTATIONS, Picture, Pyramid, Sums,
};
use veloxel_kernels::phase::phase_flow::{Constraints, PhaseFlow, PhaseLevel, PhaseSampling, PhaseWeighing};
use veloxel_kernels::phase::phase_stereo::{PhaseStereo, Views, Votes};
use veloxel_motion::{PhaseEngine, PhaseWanted};

/// Frames of a flow.
const FRAMES: usize = 5;

/// Names of the stages, the paper's times on its GPU at the larger size (ms), and the megabytes that it moves.
const STAGES: [(&str, f64, f64); 6] = [
    ("downsample", 1.1, 337.0),
    ("Gabor, columns and rows", 2.4 + 7.9, 267.0 + 1533.0),
    ("local features", 1.3, 127.0),
    ("stereo", 2.6, 200.0),
    ("optical flow", 12.7, 560.0),
    ("median filter", 1.5, 200.0),
];

/// What the stages of a frame work on: a stereo pair, and the phases of five frames.
struct Stages<'d> {
    device: &'d Device,
    levels: Levels,
    bank: Bank,
    pictures: [Picture; 2],
    images: [Buffer; 2],
    phases: Vec<Buffer<u16>>,
    features: [Buffer; 3],
    flow: Estimates,
    stereo: Estimates,
}

/// Estimates of every level: as found, and after the median.
struct Estimates {
    planes: usize,
    raw: Vec<Buffer>,
    filtered: Vec<Buffer>,
    confidence: Vec<Buffer>,
}

impl Estimates {
    fn new(device: &Device, levels: &Levels, planes: usize) -> Result<Self, ComputeError> {
        let each =
            |planes: usize| (0..levels.count()).map(move |l| device.scratch(planes * levels.pixels(l)));
        Ok(Self {
            planes,
            raw: each(planes).collect::<Result<_, _>>()?,
            filtered: each(planes).collect::<Result<_, _>>()?,
            confidence: each(1).collect::<Result<_, _>>()?,
        })
    }

    /// The median of every level, from the coarsest down.
    fn median(&mut self, device: &Device, levels: &Levels) -> Result<(), ComputeError> {
        for level in (0..levels.count()).rev() {
            let (finer, coarser) = self.filtered.split_at_mut(level + 1);
            ValidMedian {
                planes: Planes { size: levels.size(level), count: self.planes },
                window: MedianWindow::Three,
                estimates: &self.raw[level],
                coarser: coarser.first(),
                out: &mut finer[level],
                confidence: Some(&mut self.confidence[level]),
            }
            .run(device)?;
        }
        Ok(())
    }
}

impl<'d> Stages<'d> {
    fn new(device: &'d Device, size: [usize; 2]) -> Result<Self, BenchError> {
        let parameters = paper();
        let levels = Levels::new(size, 2, SCALES);
        let bank = Bank {
            filters: Filters::new(parameters.sigma_px),
            rounding: None,
            least_magnitude: parameters.least_magnitude * parameters.full_scale,
            sums: Sums::Weighted,
        };
        let frames = film(size);
        let [left, right] = &frames[0];
        let plane = || device.scratch(levels.len());
        let phases = (0..FRAMES + 1).map(|_| device.scratch(ORIENTATIONS * levels.len()));
        let mut stages = Self {
            pictures: [Picture::from_bytes(device, left)?, Picture::from_bytes(device, right)?],
            images: [plane()?, plane()?],
            phases: phases.collect::<Result<_, _>>()?,
            features: [plane()?, plane()?, plane()?],
            flow: Estimates::new(device, &levels, 2)?,
            stereo: Estimates::new(device, &levels, 1)?,
            device,
            levels,
            bank,
        };
        // Frames of a flow that differ, so that warps read as they do.
        for (t, [frame, _]) in frames.iter().take(FRAMES).enumerate() {
            stages.pictures[0] = Picture::from_bytes(device, frame)?;
            stages.downsample()?;
            stages.gabor(t, false)?;
        }
        stages.gabor(FRAMES, false)?;
        Ok(stages)
    }

    /// Both images' pyramids.
    fn downsample(&mut self) -> Result<(), ComputeError> {
        let [left, right] = &mut self.images;
        let pictures = self.pictures.each_ref();
        Pyramid { levels: &self.levels, pictures: &pictures, out: &mut [left, right] }.run(self.device)
    }

    /// The phases of one image into the `nth` buffer, the last of which is the right image's.
    fn gabor(&mut self, nth: usize, has_features: bool) -> Result<(), ComputeError> {
        let image = &self.images[usize::from(nth == FRAMES)];
        let features = has_features.then_some(&mut self.features);
        let out = LocalPhaseOutputs { phases: Some(&mut self.phases[nth]), features };
        LocalPhase { levels: &self.levels, bank: &self.bank, image, out }.run(self.device)
    }

    fn flow(&mut self) -> Result<(), ComputeError> {
        let frames: Vec<&Buffer<u16>> = self.phases[..FRAMES].iter().collect();
        let constraints = Constraints { tau_l: 0.5, min_orientations: 4, weighing: PhaseWeighing::Alike };
        for level in (0..self.levels.count()).rev() {
            let place = PhaseLevel { levels: &self.levels, level, sampling: PhaseSampling::Displaced };
            let Estimates { raw, filtered, confidence, .. } = &mut self.flow;
            PhaseFlow {
                place,
                constraints,
                frames: &frames,
                coarser: filtered.get(level + 1),
                out: &mut raw[level],
                confidence: &mut confidence[level],
            }
            .run(self.device)?;
        }
        Ok(())
    }

    fn stereo(&mut self) -> Result<(), ComputeError> {
        let votes = Votes { min_orientations: 4, views: Views::Left };
        for level in (0..self.levels.count()).rev() {
            let place = PhaseLevel { levels: &self.levels, level, sampling: PhaseSampling::Displaced };
            let Estimates { raw, filtered, confidence, .. } = &mut self.stereo;
            PhaseStereo {
                place,
                votes,
                left: &self.phases[FRAMES / 2],
                right: &self.phases[FRAMES],
                coarser: filtered.get(level + 1),
                out: &mut raw[level],
                confidence: &mut confidence[level],
            }
            .run(self.device)?;
        }
        Ok(())
    }

    fn medians(&mut self) -> Result<(), ComputeError> {
        self.stereo.median(self.device, &self.levels)?;
        self.flow.median(self.device, &self.levels)
    }

    /// The time of each stage, milliseconds, in the order of [`STAGES`].
    fn times_ms(&mut self, runs: usize) -> Result<[f64; 6], BenchError> {
        let device = self.device;
        let mut time =
            |work: &mut dyn FnMut(&mut Self) -> Result<(), ComputeError>| -> Result<f64, BenchError> {
                let mut times = Vec::new();
                // The first one compiles.
                for nth in 0..=runs {
                    device.synchronise()?;
                    let start = device.stamp()?;
                    work(self)?;
                    let ms = device.stamp()?.ms_after(&start)?;
                    if nth > 0 {
                        times.push(ms);
                    }
                }
                Ok(middle(&mut times))
            };
        let downsample = time(&mut |s| s.downsample())?;
        let mut both = |has_features| {
            time(&mut |s| {
                s.gabor(0, has_features)?;
                s.gabor(FRAMES, false)
            })
        };
        let (gabor, with_features) = (both(false)?, both(true)?);
        // Whatever the coarser levels say has to be there before they are read.
        let (stereo, flow) = (time(&mut |s| s.stereo())?, time(&mut |s| s.flow())?);
        let median = time(&mut |s| s.medians())?;
        Ok([downsample, gabor, (with_features - gabor).max(0.0), stereo, flow, median])
    }

    /// Megabytes that each stage has to move at least: every buffer read or written once.
    fn megabytes(&self) -> [f64; 6] {
        let (n, finest) = (self.levels.len() as f64, self.levels.pixels(0) as f64);
        let phases = 2.0 * ORIENTATIONS as f64 * n;
        // What is read of the coarser levels: a quarter of this one's pixels, four times.
        let coarser = |planes: f64| 4.0 * planes * (n - finest);
        let estimates = |planes: f64| 4.0 * (planes + 1.0) * n + coarser(planes);
        let medians = |planes: f64| 8.0 * planes * n + coarser(planes);
        [
            2.0 * (finest + 4.0 * n + 4.0 * (n - self.levels.pixels(self.levels.count() - 1) as f64)),
            2.0 * (4.0 * n + phases),
            3.0 * 4.0 * n,
            2.0 * phases + estimates(1.0),
            FRAMES as f64 * phases + estimates(2.0),
            medians(1.0) + medians(2.0),
        ]
        .map(|bytes| 1e-6 * bytes)
    }
}

/// The stages of a frame of the larger size.
pub(super) fn table_3(machines: &[Machine], extent: Extent) -> Result<Comparison, BenchError> {
    let size = extent.sizes[1];
    let is_of_paper = size == SIZES[1];
    let mut times = Vec::new();
    let mut megabytes = [0.0; 6];
    for machine in machines {
        let device = &machine.device;
        let mut stages = Stages::new(device, size)?;
        megabytes = stages.megabytes();
        times.push(stages.times_ms(extent.runs)?);
    }
    let mut rows = Vec::new();
    for (nth, (name, ms, _)) in STAGES.into_iter().enumerate() {
        let ours = times.iter().map(|times| Some(times[nth])).collect();
        rows.push(
            Row::new(format!("{name}: time of a frame"), "ms", ours).beside([is_of_paper.then_some(ms)]),
        );
    }
    let total = |values: &[f64; 6]| Some(values.iter().sum());
    let theirs = is_of_paper.then(|| STAGES.iter().map(|stage| stage.1).sum());
    rows.push(
        Row::new("all stages: time of a frame", "ms", times.iter().map(total).collect()).beside([theirs]),
    );
    for (nth, (name, _, moved)) in STAGES.into_iter().enumerate() {
        let ours = vec![Some(megabytes[nth]); machines.len()];
        rows.push(
            Row::new(format!("{name}: memory traffic, at least"), "MB", ours)
                .beside([is_of_paper.then_some(moved)]),
        );
    }
    let [nx, ny] = size;
    Ok(Comparison {
        title: "Stages (Table 3)".to_owned(),
        place: "Table 3",
        note: format!(
            "A stereo pair of {nx} × {ny} pixels on {SCALES} scales, flow of five frames, stereo without a check; local features are what they add to the filters. Traffic here: each sample of each buffer read or written once; the paper counts every access, those that its cache answers too."
        ),
        measured: machines.iter().map(|machine| machine.role.name().to_owned()).collect(),
        published: &["GTX 280"],
        rows,
    })
}

/// Memory of the engine's buffers.
pub(super) fn memory(device: &Device, extent: Extent) -> Result<Comparison, BenchError> {
    let wanted = PhaseWanted { flow: true, stereo: true, features: true };
    let mut rows = Vec::new();
    for (nth, size) in extent.sizes.into_iter().enumerate() {
        let before = device.memory_stats().used_bytes;
        let engine = PhaseEngine::new(size, wanted, parameters(SCALES), device)?;
        let used = device.memory_stats().used_bytes - before;
        drop(engine);
        let [nx, ny] = size;
        let theirs = (size == SIZES[nth]).then_some(MEMORY_MB[nth]);
        let row =
            Row::new(format!("{nx} × {ny}: the engine's buffers"), "MB", vec![Some(1e-6 * used as f64)]);
        rows.push(row.beside([theirs]));
    }
    Ok(Comparison {
        title: "Memory of the buffers (section 7.2)".to_owned(),
        place: "section 7.2",
        note: format!(
            "Flow of five frames, stereo and features on {SCALES} scales. Here phases are kept, sixteen bytes a pixel; the paper keeps responses, 64."
        ),
        measured: vec!["this engine".to_owned()],
        published: &["GTX 280"],
        rows,
    })
}
