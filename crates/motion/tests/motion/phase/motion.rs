//! Stereo and flow from phase: known shifts, symmetries, threads, devices, streams.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use super::scene::{picture, processor, shifted, texture};
use veloxel_core::{Dimension, Flow, Volume};
use veloxel_motion::phase::parameters::{FeatureSums, FrameCount, PhaseMedian, UnknownPixels};
use veloxel_motion::{
    ConfidenceChoice, FeatureScales, PhaseEngine, PhaseImage, PhaseParameters, PhasePreset, PhaseWanted,
    phase_features, phase_flow, phase_stereo,
};
use veloxel_testkit::on_every_device;

const SIZE: [usize; 2] = [120, 90];
/// Of streams, whose bits are compared.
const STREAMED: [usize; 2] = [72, 54];

/// A texture that moves so many pixels a frame, frame 0 in the middle of five.
fn moving(velocity: [f32; 2], time: f32) -> Volume<f32> {
    moving_in(SIZE, velocity, time)
}

fn moving_in(size: [usize; 2], velocity: [f32; 2], time: f32) -> Volume<f32> {
    picture(size, |x, y| texture(x - velocity[0] * time, y - velocity[1] * time))
}

fn frames(velocity: [f32; 2], frames: FrameCount) -> Vec<Volume<f32>> {
    let centre = frames.centre() as f32;
    (0..frames.count()).map(|t| moving(velocity, t as f32 - centre)).collect()
}

/// Mean distance from a vector where the field is known and away from the border, and the share that is known.
fn mean_error(components: &[&[f32]], truth: [f32; 2]) -> (f32, f32) {
    let (mut sum, mut known, mut all) = (0.0, 0.0, 0.0);
    for y in 16..SIZE[1] - 16 {
        for x in 16..SIZE[0] - 16 {
            let i = y * SIZE[0] + x;
            let error = components.iter().zip(truth).map(|(c, t)| (c[i] - t).powi(2)).sum::<f32>().sqrt();
            all += 1.0;
            if !error.is_nan() {
                sum += error;
                known += 1.0;
            }
        }
    }
    (sum / known, known / all)
}

fn components_of(flow: &Flow) -> Vec<&[f32]> {
    flow.components_vox().collect()
}

#[test]
fn textures_that_move_are_followed() {
    for (count, bound) in [(FrameCount::Two, 0.08), (FrameCount::Three, 0.08), (FrameCount::Five, 0.06)] {
        for velocity in [[0.0, 0.0], [0.3, -0.7], [2.4, 1.1], [-3.0, 3.5]] {
            let images = frames(velocity, count);
            let images: Vec<_> = images.iter().collect();
            let parameters = PhaseParameters { frames: count, ..PhaseParameters::default() };
            let output = phase_flow(&images, &parameters, &processor(2)).unwrap();
            let (error, known) = mean_error(&components_of(&output.flow), velocity);
            assert!(error < bound && known > 0.97, "{count:?} {velocity:?}: {error} px at {known}");
            assert!(output.confidence.data().iter().all(|&c| (0.0..=1.0).contains(&c)));
        }
    }
}

/// Simplifications cost accuracy, and fixed-point fields have steps of a sixteenth.
#[test]
fn the_hardware_follows_less_closely() {
    let velocity = [2.4, 1.1];
    let images = frames(velocity, FrameCount::Three);
    let images: Vec<_> = images.iter().collect();
    let error = |parameters: &PhaseParameters| {
        let output = phase_flow(&images, parameters, &processor(2)).unwrap();
        (mean_error(&components_of(&output.flow), velocity).0, output)
    };
    let hardware = PhaseParameters::preset(PhasePreset::Hardware, Dimension::Two);
    let (full, _) = error(&PhaseParameters {
        frames: FrameCount::Three,
        ..PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)
    });
    let (less, output) = error(&hardware);
    assert!(full < less && less < 0.15, "{full} {less}");
    let steps = output.flow.planar_vox().iter().filter(|v| !v.is_nan()).map(|v| v * 16.0);
    assert!(steps.into_iter().all(|v| v == v.round()));
    let stereo = phase_stereo(images[0], images[1], &hardware, &processor(2)).unwrap();
    assert!(stereo.report.valid_share > 0.5);
}

#[test]
fn shifts_between_eyes_are_found() {
    for disparity in [0.0f32, 0.4, -2.3, 6.7, 15.0] {
        let left = picture(SIZE, texture);
        let right = picture(SIZE, |x, y| texture(x + disparity, y));
        let output = phase_stereo(&left, &right, &PhaseParameters::default(), &processor(2)).unwrap();
        let (error, known) = mean_error(&[output.disparity_px.data()], [disparity, 0.0]);
        assert!(error < 0.06 && known > 0.95, "{disparity}: {error} px at {known}");
    }
}

#[test]
fn equal_frames_do_not_move() {
    let image = picture(SIZE, texture);
    let flow = phase_flow(&[&image; 5], &PhaseParameters::default(), &processor(2)).unwrap();
    assert!(flow.flow.planar_vox().iter().all(|&v| v == 0.0));
    let stereo = phase_stereo(&image, &image, &PhaseParameters::default(), &processor(2)).unwrap();
    assert!(stereo.disparity_px.data().iter().all(|&v| v == 0.0));
}

fn mirrored(image: &Volume<f32>) -> Volume<f32> {
    let [nx, _, _] = image.grid().size();
    Volume::from_fn(image.grid().clone(), |[x, y, z]| *image.at([nx - 1 - x, y, z]))
}

/// Mirrored eyes change places: the right image's disparity of a mirrored pair is the left one's of the pair. A width of
/// 2ᵏn + 1 lets every level be its own mirror image.
#[test]
fn mirrors_change_the_sides() {
    let size = [97, 65];
    let left = picture(size, texture);
    let right = picture(size, |x, y| texture(x + 3.3, y));
    let parameters = PhaseParameters { stereo_check_px: 0.0, ..PhaseParameters::default() };
    let device = processor(2);
    let plain = phase_stereo(&left, &right, &parameters, &device).unwrap();
    let mirror = phase_stereo(&mirrored(&left), &mirrored(&right), &parameters, &device).unwrap();
    let back = mirrored(&mirror.disparity_px);
    let differing = plain.disparity_px.data().iter().zip(back.data()).filter(|(a, b)| {
        let alike = (*a + *b).abs() < 1e-2 || (a.is_nan() && b.is_nan());
        !alike
    });
    assert!(differing.count() * 200 < plain.disparity_px.data().len());
}

#[test]
fn light_changes_nothing() {
    let velocity = [1.3, -0.6];
    let images = frames(velocity, FrameCount::Five);
    let flow = |images: &[Volume<f32>]| {
        phase_flow(&images.iter().collect::<Vec<_>>(), &PhaseParameters::default(), &processor(2)).unwrap()
    };
    let plain = flow(&images);
    let vignette = |t: usize| {
        picture(SIZE, |x, y| {
            let far = ((x - 60.0).powi(2) + (y - 45.0).powi(2)) / (75.0 * 75.0);
            images[t].at([x as usize, y as usize, 0]) * (1.0 - 0.4 * far)
        })
    };
    let changes = [
        (0..5).map(|t| shifted(&images[t], |v| (0.5 + 0.375 * t as f32) * v)).collect::<Vec<_>>(),
        (0..5).map(|t| shifted(&images[t], |v| v - 30.0 + 15.0 * t as f32)).collect(),
        (0..5).map(vignette).collect(),
    ];
    for (k, changed) in changes.iter().enumerate() {
        let changed = flow(changed);
        let (mut sum, mut count) = (0.0, 0.0);
        for i in 0..plain.confidence.data().len() {
            let [a, b] = [&plain, &changed].map(|f| f.flow.vector_vox(i));
            let distance = (a[0] - b[0]).hypot(a[1] - b[1]);
            if !distance.is_nan() {
                sum += distance;
                count += 1.0;
            }
        }
        assert!(sum / count < 0.02, "change {k}: {} px", sum / count);
    }
}

fn same(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// The share that is known.
fn known(values: &[f32]) -> f64 {
    values.iter().filter(|v| !v.is_nan()).count() as f64 / values.len() as f64
}

#[test]
fn threads_do_not_matter() {
    let images = frames([1.2, 0.4], FrameCount::Five);
    let images: Vec<_> = images.iter().collect();
    let run = |threads| {
        let (parameters, device) = (PhaseParameters::default(), processor(threads));
        let flow = phase_flow(&images, &parameters, &device).unwrap();
        let stereo = phase_stereo(images[0], images[1], &parameters, &device).unwrap();
        let features = phase_features(images[0], &parameters, &device).unwrap();
        let mut all: Vec<f32> = flow.flow.into_planar_vox();
        all.extend(stereo.disparity_px.data().iter().chain(stereo.confidence.data()));
        all.extend(features.levels[0].phase_rad.data());
        all
    };
    let one = run(1);
    assert!(same(&one, &run(2)) && same(&one, &run(3)));
}

on_every_device! {
    fn whole_runs_on_every_device(device: &Device) {
        let paper = PhaseParameters {
            unknown: UnknownPixels::Stay,
            median: PhaseMedian::Five,
            feature_sums: FeatureSums::Plain,
            stereo_check_px: 0.0,
            ..PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)
        };
        for (count, base) in [
            (FrameCount::Two, PhaseParameters::default()),
            (FrameCount::Three, paper),
            (FrameCount::Three, PhaseParameters::preset(PhasePreset::Hardware, Dimension::Two)),
            (FrameCount::Five, PhaseParameters::default()),
        ] {
            let parameters = PhaseParameters { frames: count, ..base };
            let images = frames([2.1, -0.8], count);
            let images: Vec<_> = images.iter().collect();
            let [got, expected] = [device, &processor(2)].map(|device| {
                let flow = phase_flow(&images, &parameters, device).unwrap();
                let stereo = phase_stereo(images[0], images[1], &parameters, device).unwrap();
                let features = phase_features(images[0], &parameters, device).unwrap();
                let mut maps = vec![flow.flow.into_planar_vox()];
                maps.extend([flow.confidence.into_data(), stereo.disparity_px.into_data(), stereo.confidence.into_data()]);
                maps.extend(features.levels.into_iter().map(|l| l.phase_rad.into_data()));
                maps
            });
            for (k, (got, expected)) in got.iter().zip(&expected).enumerate() {
                assert!(same(got, expected), "{count:?}: map {k} differs from the processor's");
            }
        }
    }

    fn streams_give_what_single_runs_give(device: &Device) {
        let wanted = PhaseWanted { flow: true, stereo: true, features: true };
        let images: Vec<_> = (0..8).map(|t| moving_in(STREAMED, [1.4, 0.7], t as f32)).collect();
        let right = |t: i32| move |x, y| texture(x + 2.5 - 1.4 * t as f32, y - 0.7 * t as f32);
        let rights: Vec<_> = (0..8).map(|t| picture(STREAMED, right(t))).collect();
        for count in [FrameCount::Two, FrameCount::Five] {
            let parameters = PhaseParameters { frames: count, ..PhaseParameters::default() };
            let mut engine = PhaseEngine::new(STREAMED, wanted, parameters.clone(), device).unwrap();
            for t in 0..8 {
                let delay = engine.delay();
                let left = PhaseImage::Samples(images[t].data());
                // One frame came with one eye shut.
                let right = (t != 4).then(|| PhaseImage::Samples(rights[t].data()));
                let outputs = engine.push(left, right).unwrap();
                assert_eq!(outputs.is_some(), t >= delay);
                let Some(outputs) = outputs else { continue };
                let frame = t - delay;
                assert_eq!(outputs.frame(), frame as u64);
                let streamed = outputs.flow().unwrap();
                assert_eq!(streamed.is_some(), t + 1 >= count.count(), "{count:?}, frame {frame}");
                if let Some(streamed) = streamed {
                    let window: Vec<_> = images[t + 1 - count.count()..=t].iter().collect();
                    let flow = phase_flow(&window, &parameters, device).unwrap();
                    let [a, b] = [&streamed.flow, &flow.flow].map(Flow::planar_vox);
                    assert!(same(a, b), "{count:?}, frame {frame}: flow");
                }
                let features = phase_features(&images[frame], &parameters, device).unwrap();
                let streamed = outputs.features(1).unwrap().unwrap();
                assert!(same(streamed.levels[0].phase_rad.data(), features.levels[0].phase_rad.data()));
                let streamed = outputs.stereo().unwrap();
                assert_eq!(streamed.is_some(), frame != 4);
                if let Some(streamed) = streamed {
                    let stereo = phase_stereo(&images[frame], &rights[frame], &parameters, device).unwrap();
                    assert!(same(streamed.disparity_px.data(), stereo.disparity_px.data()), "{frame}: stereo");
                }
            }
            // The last frames have no flow, and everything else.
            for frame in 8 - engine.delay()..8 {
                let outputs = engine.drain().unwrap().unwrap();
                assert_eq!(outputs.frame(), frame as u64);
                assert!(outputs.flow().unwrap().is_none());
                let features = phase_features(&images[frame], &parameters, device).unwrap();
                let streamed = outputs.features(1).unwrap().unwrap();
                assert!(same(streamed.levels[0].phase_rad.data(), features.levels[0].phase_rad.data()));
                let stereo = phase_stereo(&images[frame], &rights[frame], &parameters, device).unwrap();
                let streamed = outputs.stereo().unwrap().unwrap();
                assert!(same(streamed.disparity_px.data(), stereo.disparity_px.data()), "{frame}: stereo");
            }
            assert!(engine.drain().unwrap().is_none());
            let [left, right] = [&images[0], &rights[0]].map(|image| PhaseImage::Samples(image.data()));
            for frame in 0..=engine.delay() {
                let outputs = engine.push(left, Some(right)).unwrap();
                assert_eq!(outputs.is_some(), frame == engine.delay(), "another stream");
            }
        }
    }

    fn short_streams_and_flow_alone(device: &Device) {
        let image = moving([1.4, 0.7], 0.0);
        let image = PhaseImage::Samples(image.data());
        for (flow, expected) in [(false, 1), (true, 0)] {
            let wanted = PhaseWanted { flow: true, stereo: false, features: !flow };
            let mut engine = PhaseEngine::new(SIZE, wanted, PhaseParameters::default(), device).unwrap();
            assert!(engine.push(image, None).unwrap().is_none());
            let drained = std::iter::from_fn(|| engine.drain().unwrap().map(|outputs| outputs.frame()));
            assert_eq!(drained.count(), expected, "one frame of five");
        }
    }

    fn what_is_taken_stays_what_it_was(device: &Device) {
        let wanted = PhaseWanted { flow: true, stereo: true, features: true };
        let images: Vec<_> = (0..7).map(|t| moving_in(STREAMED, [1.4, 0.7], t as f32)).collect();
        for count in [FrameCount::Two, FrameCount::Three] {
            let parameters = PhaseParameters { frames: count, ..PhaseParameters::default() };
            let mut engines =
                [(); 2].map(|()| PhaseEngine::new(STREAMED, wanted, parameters.clone(), device).unwrap());
            let (mut at_once, mut taken) = (Vec::new(), Vec::new());
            for t in 0..7 {
                let left = PhaseImage::Samples(images[t].data());
                // Every third frame came with one eye shut.
                let right = (t % 3 != 2).then(|| PhaseImage::Samples(images[6 - t].data()));
                let [first, second] = engines.each_mut().map(|engine| engine.push(left, right).unwrap());
                if let (Some(first), Some(second)) = (first, second) {
                    let [flow, stereo] = [first.flow().unwrap().is_some(), first.stereo().unwrap().is_some()];
                    assert!(flow == (t + 1 >= count.count()) && stereo == (first.frame() % 3 != 2));
                    at_once.push((
                        first.frame(),
                        first.flow().unwrap(),
                        first.stereo().unwrap(),
                        first.features(usize::MAX).unwrap().map(|f| f.levels),
                    ));
                    let counts = second.count_known().unwrap();
                    taken.push((counts, second.take(ConfidenceChoice::Taken).unwrap()));
                }
            }
            // By another thread, after the last push.
            let taken = std::thread::spawn(move || {
                let fetched = taken.into_iter().map(|(counts, taken)| {
                    (taken.frame(), counts.get().unwrap(), taken.fetch(FeatureScales::All).unwrap())
                });
                fetched.collect::<Vec<_>>()
            });
            let taken = taken.join().unwrap();
            assert_eq!(taken.len(), at_once.len());
            for ((frame, flow, disparity, features), (taken_frame, shares, fields)) in at_once.iter().zip(&taken) {
                assert_eq!(frame, taken_frame);
                assert_eq!((flow.is_some(), flow.is_some()), (fields.flow.is_some(), shares.flow.is_some()));
                if let (Some(a), Some(b), Some(c)) = (flow, &fields.flow, &fields.flow_confidence) {
                    assert!(same(a.flow.planar_vox(), b.planar_vox()), "{count:?}, frame {frame}: flow");
                    assert!(same(a.confidence.data(), c.data()), "{count:?}, frame {frame}: confidence");
                    assert_eq!(shares.flow, Some(known(a.flow.component_vox(0))));
                }
                assert_eq!((disparity.is_some(), disparity.is_some()), (fields.disparity_px.is_some(), shares.stereo.is_some()));
                if let (Some(a), Some(b), Some(c)) = (disparity, &fields.disparity_px, &fields.disparity_confidence) {
                    assert!(same(a.disparity_px.data(), b.data()), "{count:?}, frame {frame}: stereo");
                    assert!(same(a.confidence.data(), c.data()), "{count:?}, frame {frame}: its confidence");
                    assert_eq!(shares.stereo, Some(known(a.disparity_px.data())));
                }
                let levels = features.as_ref().unwrap();
                assert!(levels.len() > 1 && levels.len() == 1 + fields.coarser_features.len());
                for (a, b) in levels.iter().zip(fields.features.iter().chain(&fields.coarser_features)) {
                    assert!(same(a.energy.data(), b.energy.data()) && same(a.phase_rad.data(), b.phase_rad.data()));
                    assert!(same(a.orientation_rad.data(), b.orientation_rad.data()));
                    assert_eq!(a.phase_rad.grid(), b.phase_rad.grid());
                }
                assert_eq!(shares.features, Some(known(levels[0].phase_rad.data())));
            }
        }
    }

    fn bytes_are_samples(device: &Device) {
        let bytes: Vec<u8> = (0..37 * 29).map(|i| (i * i / 7 % 256) as u8).collect();
        let samples: Vec<f32> = bytes.iter().map(|&b| f32::from(b)).collect();
        let wanted = PhaseWanted { flow: false, stereo: true, features: true };
        let mut engine = PhaseEngine::new([37, 29], wanted, PhaseParameters::default(), device).unwrap();
        let resident = engine.upload(PhaseImage::Bytes(&bytes)).unwrap();
        let images = [PhaseImage::Bytes(&bytes), PhaseImage::Samples(&samples), PhaseImage::Resident(&resident)];
        let all: Vec<Vec<f32>> = images
            .into_iter()
            .map(|image| {
                let outputs = engine.push(image, Some(image)).unwrap().unwrap();
                assert!(outputs.flow().unwrap().is_none());
                let stereo = outputs.stereo().unwrap().unwrap();
                let features = outputs.features(2).unwrap().unwrap();
                [stereo.disparity_px.into_data(), features.levels[0].energy.data().to_vec()].concat()
            })
            .collect();
        assert!(same(&all[0], &all[1]) && same(&all[0], &all[2]));
        assert!(engine.push(PhaseImage::Bytes(&bytes[1..]), None).is_err());
        let mut unknown = samples.clone();
        unknown[40] = f32::INFINITY;
        assert!(engine.push(PhaseImage::Samples(&unknown), None).is_err());
    }
}
