//! Sequences, warps and disparities of images on a device against those of the same images in memory.

use super::*;
use crate::Session;
use crate::pipelines::{
    DenseDraft, FinerImage, Interpolation, MethodChoice, OutsideFill, SequenceRequest, StereoRequest,
    WarpImageRequest, WarpNames, sequence, stereo, warp_image,
};
use std::collections::BTreeMap;
use std::slice::from_ref;
use veloxel_core::{Flow, Mask, Warnings};
use veloxel_io::Strictness;
use veloxel_motion::SequenceMode;
use veloxel_testkit::on_every_device;

/// A volume of waves, further along x by so many voxels.
fn waves(grid: &Grid, shift: f32) -> Volume<f32> {
    Volume::from_fn(grid.clone(), move |[x, y, z]| {
        let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
        100.0 + 40.0 * ((0.5 * x + 0.2 * z).sin() + (0.4 * y).cos() + (0.3 * z - 0.2 * y).sin())
    })
}

fn volume() -> Grid {
    Grid::volume(28, 24, 20).and_then(|grid| grid.with_spacing_mm([1.0, 1.2, 1.5])).unwrap()
}

fn placed(device: &Device, volume: &Volume<f32>) -> ResidentImage {
    ResidentImage { grid: volume.grid().clone(), samples: device.upload_copy(volume.data()).unwrap() }
}

fn choice(method: &str) -> MethodChoice {
    let mut draft = DenseDraft::named(method).unwrap();
    draft.set_preset("fast").unwrap();
    MethodChoice::new(draft)
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|v| v.to_bits()).collect()
}

/// The bits of a field and of its confidence.
type FieldBits = [Vec<u32>; 2];

/// The bits of all fields by name, and what was told, of frames on the device.
fn found(
    request: ResidentSequenceRequest<'_>,
    session: &Session,
) -> (BTreeMap<String, FieldBits>, Vec<String>) {
    let device = session.device().unwrap();
    let mut fields = ResidentSequence::open(request, session).unwrap();
    let (mut found, mut told) = (BTreeMap::new(), Warnings::new());
    while let Some(field) = fields.next(session).unwrap() {
        let OnDevice { flow, confidence, .. } = field.pair.found;
        let flow = flow.download(device).unwrap();
        let confidence = device.download(confidence).unwrap();
        told.extend(field.pair.account.warnings);
        assert!(found.insert(field.label.name(), [bits(flow.planar_vox()), bits(&confidence)]).is_none());
    }
    assert!(fields.next(session).unwrap().is_none());
    (found, told.iter().map(|warning| warning.message.clone()).collect())
}

/// The same of frames in memory.
fn expected(request: &SequenceRequest<'_>, session: &Session) -> BTreeMap<String, FieldBits> {
    let mut fields = BTreeMap::new();
    let deliver = &mut |output: crate::pipelines::SequenceOutput<'_>| {
        let DenseFlow { flow, confidence, .. } = &*output.found;
        fields.insert(output.label.name(), [bits(flow.planar_vox()), bits(confidence.data())]);
        Ok(())
    };
    sequence(request, session, deliver).unwrap();
    fields
}

on_every_device! {
    fn sequences_on_a_device_have_the_bits_of_those_in_memory(device: &Device) {
        let session = Session::on(device.clone());
        let frames: Vec<_> = [0.0, 0.6, 1.1, 0.4].map(|shift| waves(&volume(), shift)).into();
        let mask: Mask = frames[0].map(|v| *v > 60.0);
        let weights = mask.map(|inside| f32::from(u8::from(*inside)));
        for (method, mode, reference) in [
            (choice("clg"), SequenceMode::Both, Some(1)),
            (choice("lucas-kanade"), SequenceMode::Reference, Some(3)),
            (choice("symmetric"), SequenceMode::Consecutive, None),
        ] {
            let there: Vec<_> = frames.iter().map(|frame| placed(device, frame)).collect();
            let request = ResidentSequenceRequest {
                mask: Some(placed(device, &weights)),
                mode,
                reference,
                ..ResidentSequenceRequest::new(there, method.clone())
            };
            let masks = from_ref(&mask);
            let in_memory = SequenceRequest { masks, mode, reference, ..SequenceRequest::new(&frames, &method) };
            let (found, told) = found(request, &session);
            assert!(found == expected(&in_memory, &session) && told.is_empty(), "{mode:?}: {told:?}");
        }
    }

    fn frames_that_preparation_changes_go_by_the_host(device: &Device) {
        let (session, method) = (Session::on(device.clone()), choice("clg"));
        let mut frames: Vec<_> = [0.0, 0.6, 1.1].map(|shift| waves(&volume(), shift)).into();
        frames[2].data_mut()[3000] = f32::NAN;
        let there: Vec<_> = frames.iter().map(|frame| placed(device, frame)).collect();
        let (found, told) = found(ResidentSequenceRequest::new(there, method.clone()), &session);
        assert_eq!(found, expected(&SequenceRequest::new(&frames, &method), &session));
        assert!(told[0].contains("frame 2") && told[0].contains("memory of the host"), "{told:?}");
    }

    fn warps_on_a_device_have_the_bits_of_those_in_memory(device: &Device) {
        let session = Session::on(device.clone());
        let mut components = vec![vec![1.3; volume().len()], vec![-2.4; volume().len()], vec![0.5; volume().len()]];
        components[1][777] = f32::NAN;
        let flow = Flow::new(volume(), components).unwrap();
        let there = ResidentFlow::upload(device, &flow).unwrap();
        let elsewhere = Grid::volume(50, 44, 40).and_then(|grid| grid.with_spacing_mm([0.6; 3])).unwrap();
        let mut holes = waves(&volume(), 0.4);
        holes.data_mut()[3000] = f32::INFINITY;
        for (image, interpolation, finer, outside) in [
            (waves(&volume(), 0.4), Interpolation::Linear, FinerImage::Sampled, OutsideFill::Value(-7.0)),
            (waves(&volume(), 0.4), Interpolation::CubicSpline, FinerImage::Sampled, OutsideFill::Edge),
            (waves(&elsewhere, 0.4), Interpolation::Nearest, FinerImage::Sampled, OutsideFill::Value(f32::NAN)),
            (waves(&elsewhere, 0.4), Interpolation::Linear, FinerImage::Smoothed, OutsideFill::default()),
            (holes, Interpolation::Linear, FinerImage::Sampled, OutsideFill::default()),
        ] {
            let (strictness, names) = (Strictness::Lenient, WarpNames::default());
            let request =
                WarpImageRequest { flow: &flow, image: (&image).into(), interpolation, finer, outside, strictness, names };
            let expected = warp_image(&request, &session).unwrap();
            let image = placed(device, &image);
            let request =
                ResidentWarpRequest { flow: &there, image, interpolation, finer, outside, strictness, names };
            let found = warp_resident_image(request, &session).unwrap();
            let samples = device.download(found.warped.samples).unwrap();
            assert!(bits(&samples) == bits(expected.warped.data()), "{interpolation:?}, {outside:?}");
            let texts = |account: &crate::pipelines::Account| {
                account.warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>()
            };
            let told = texts(&found.account);
            assert!(texts(&expected.account).iter().all(|text| told.contains(text)), "{told:?}");
            let by_host = told.iter().any(|text| text.contains("memory of the host"));
            let image_bytes = 4 * volume().len() as u64;
            assert!(by_host || found.traffic.to_device_bytes + found.traffic.to_host_bytes < image_bytes / 4);
        }
    }

    fn disparities_on_a_device_have_the_bits_of_those_in_memory(device: &Device) {
        let session = Session::on(device.clone());
        let grid = Grid::image(160, 96).unwrap();
        let texture = |shift: usize| {
            let noise = |i: usize| (i.wrapping_mul(2_654_435_761) >> 7) % 251;
            Volume::from_fn(grid.clone(), move |[x, y, _]| noise((x + shift) / 2 + 211 * (y / 2)) as f32)
        };
        let (left, right) = (texture(0), texture(6));
        for preset in ["accurate", "fast"] {
            let mut method = DenseDraft::named("phase").unwrap();
            method.set_preset(preset).unwrap();
            let expected = stereo(&StereoRequest::new(&left, &right, &method), &session).unwrap();
            let [left, right] = [placed(device, &left), placed(device, &right)];
            let found = resident_stereo(ResidentStereoRequest { left, right, method: &method }, &session).unwrap();
            let [disparity_px, confidence] = [found.disparity_px, found.confidence].map(|map| device.download(map).unwrap());
            assert!(bits(&disparity_px) == bits(expected.found.disparity_px.data()), "{preset}");
            assert!(bits(&confidence) == bits(expected.found.confidence.data()), "{preset}");
            assert_eq!((found.report, found.errors), (expected.found.report, expected.errors));
        }
    }
}
