//! Results in types of their own: the device rounds as memory would, every device alike.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use super::scene::{picture, texture};
use veloxel_core::{DeliveredSamples, DeliveredType, FlowStatistics, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, ConfidenceChoice, DeliveredFields, Delivery, FeatureScales, PairStream,
    PhaseEngine, PhaseFields, PhaseImage, PhaseParameters, PhaseWanted,
};
use veloxel_testkit::on_every_device;

/// Odd, so that no plane ends with a word.
const SIZE: [usize; 2] = [77, 61];

fn delivery(types: &str, confidences: ConfidenceChoice, scales: FeatureScales) -> Delivery {
    Delivery { types: types.parse().unwrap(), confidences, scales }
}

fn frame(t: usize) -> Volume<f32> {
    // Flat on the left, where nothing is known.
    picture(SIZE, |x, y| if x < 26.0 { 120.0 } else { texture(x - 1.1 * t as f32, y - 0.4 * t as f32) })
}

/// The fields of a stream's third frame as they are, and as they are delivered.
fn both(device: &Device, delivery: &Delivery) -> (PhaseFields, DeliveredFields) {
    let wanted = PhaseWanted { flow: true, stereo: true, features: true };
    let parameters = PhaseParameters::default();
    let mut engine = PhaseEngine::new(SIZE, wanted, parameters, device).unwrap();
    let mut leaving = None;
    for t in 0..5 {
        let [left, right] = [frame(t), frame(t + 2)];
        let right = Some(PhaseImage::Samples(right.data()));
        let Some(outputs) = engine.push(PhaseImage::Samples(left.data()), right).unwrap() else { continue };
        let rounded = outputs.deliver(delivery).unwrap();
        leaving = Some((rounded, outputs.take(ConfidenceChoice::Taken).unwrap()));
    }
    // Frames that come later change nothing.
    engine.push(PhaseImage::Samples(frame(9).data()), None).unwrap();
    let (rounded, taken) = leaving.unwrap();
    (taken.fetch(FeatureScales::All).unwrap(), rounded.fetch().unwrap())
}

on_every_device! {
    fn streams_leave_in_their_types(device: &Device) {
        for (types, confidences, scales) in [
            ("f32", ConfidenceChoice::Taken, FeatureScales::All),
            ("f16", ConfidenceChoice::Taken, FeatureScales::Finest),
            ("f16,confidence=u8,orientation=u8,phase=u8", ConfidenceChoice::Taken, FeatureScales::All),
            ("disparity=f16", ConfidenceChoice::Left, FeatureScales::Finest),
        ] {
            let delivery = delivery(types, confidences, scales);
            let (fields, delivered) = both(device, &delivery);
            let grid = Grid::image(SIZE[0], SIZE[1]).unwrap();
            assert!(delivered == DeliveredFields::of(&grid, &fields, &delivery), "{types}");
            assert_eq!(delivered.flow_confidence.is_some(), confidences == ConfidenceChoice::Taken);
            assert_eq!(delivered.features.len() > 1, scales == FeatureScales::All);
        }
    }

    fn pairs_leave_in_their_types(device: &Device) {
        let grid = Grid::volume(15, 13, 11).unwrap();
        let volume = |t: f32| Volume::from_fn(grid.clone(), |[x, y, z]| {
            100.0 + 40.0 * ((0.5 * (x as f32 - 0.6 * t)).sin() + (0.4 * y as f32 + 0.3 * z as f32).cos())
        });
        let stream = || {
            let params = ClgParams::preset(ClgPreset::Fast, grid.dimension());
            PairStream::new(Box::new(Clg::new(&grid, params, device).unwrap()))
        };
        let delivery = delivery("flow=f16,confidence=u8", ConfidenceChoice::Taken, FeatureScales::Finest);
        let [mut plain, mut rounded] = [stream(), stream()];
        for t in 0..3 {
            let next = volume(t as f32);
            let (Some(plain), Some(rounded)) = (plain.push(&next).unwrap(), rounded.push(&next).unwrap()) else {
                continue;
            };
            let plain = plain.fetch(ConfidenceChoice::Taken).unwrap();
            let rounded = rounded.deliver(&delivery).unwrap().fetch().unwrap();
            let of = |statistics: &FlowStatistics| {
                let FlowStatistics { status, brightness, jacobian, warnings, .. } = statistics.clone();
                (status, brightness, jacobian, warnings)
            };
            assert_eq!(of(&plain.statistics), of(&rounded.statistics));
            assert_eq!(plain.known_share, rounded.known_share);
            let fields = PhaseFields { flow: Some(plain.flow), flow_confidence: plain.confidence, ..Default::default() };
            assert!(rounded.fields == DeliveredFields::of(&grid, &fields, &delivery));
        }
    }
}

/// The value of a half.
fn value(bits: u16) -> f32 {
    let (exponent, digits) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3ff));
    let size = match exponent {
        0 => digits * 2f32.powi(-24),
        31 if digits > 0.0 => f32::NAN,
        _ => (1.0 + digits / 1024.0) * 2f32.powi(exponent - 15),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[test]
fn narrow_samples_are_near_the_fields_and_unknown_where_these_are() {
    let types = "f16,confidence=u8,orientation=u8,phase=u8";
    let (fields, delivered) =
        both(&Device::cpu(2).unwrap(), &delivery(types, ConfidenceChoice::Taken, FeatureScales::Finest));
    let flow = fields.flow.unwrap();
    let mut unknown = 0;
    for (exact, found) in flow.components_vox().zip(delivered.flow.unwrap()) {
        assert_eq!(found.kind(), DeliveredType::F16);
        for (exact, found) in exact.iter().zip(found.as_f16_bits().unwrap()) {
            unknown += usize::from(exact.is_nan());
            assert!(
                exact.is_nan() && value(*found).is_nan()
                    || (exact - value(*found)).abs() <= exact.abs() / 2048.0 + 1e-6
            );
        }
    }
    assert!(unknown > 0, "some pixels should have no flow");
    let bytes = |samples: Option<DeliveredSamples>| samples.unwrap().as_u8().unwrap().to_vec();
    let sure = bytes(delivered.flow_confidence);
    for (exact, found) in fields.flow_confidence.unwrap().data().iter().zip(sure) {
        assert!((exact - f32::from(found) / 255.0).abs() <= 0.5001 / 255.0);
    }
    let (maps, found) = (fields.features.unwrap(), &delivered.features[0]);
    let period = std::f32::consts::TAU;
    for (exact, &found) in maps.phase_rad.data().iter().zip(found.phase.as_u8().unwrap()) {
        assert_eq!(exact.is_nan(), found == 255);
        let off = (exact - f32::from(found) / 255.0 * period).rem_euclid(period);
        assert!(exact.is_nan() || off.min(period - off) <= 0.5001 * period / 255.0);
    }
}
