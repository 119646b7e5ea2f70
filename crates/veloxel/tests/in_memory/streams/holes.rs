//! Holes of frames are left out of what streams find, as pairs, windows and features of images in memory leave them out.

use super::{assert_as_pairs, assert_same_bits, draft, job, streamed, volume};
use crate::no_files::alone;
use crate::{pictures, session};
use veloxel::io;
use veloxel::jobs::{self, DenseMethodOptions};
use veloxel::pipelines::engine::{
    ConfidenceChoice, Delivery, Engine, EngineFound, EngineImage, EngineRequest, FeatureScales,
};
use veloxel::pipelines::{DenseDraft, FeaturesRequest, MethodChoice, WindowRequest, features, window};
use veloxel::{PhaseWanted, Volume, Warnings};

/// Frames of which some have holes: NaN, infinity, a moving block.
fn with_holes(frames: &mut [Volume<f32>]) {
    for (t, frame) in frames.iter_mut().enumerate().filter(|(t, _)| t % 3 != 2) {
        let [nx, ny, _] = frame.grid().size();
        for y in 5..9 {
            for x in 6 + t..10 + t {
                frame.data_mut()[y * nx + x] = if y == 7 { f32::INFINITY } else { f32::NAN };
            }
        }
        frame.data_mut()[nx * (ny - 1)] = f32::NAN;
    }
}

#[test]
fn holes_are_left_out_as_in_a_pair() {
    let mut pictures: Vec<_> = (0..4).map(|t| pictures::texture(0.75 * t as f32)).collect();
    let mut volumes: Vec<_> = (0..3).map(volume).collect();
    with_holes(&mut pictures);
    with_holes(&mut volumes);
    alone(|| {
        for (method, preset) in [("clg", "fast"), ("lucas-kanade", "accurate"), ("fe", "fast")] {
            assert_as_pairs(&draft(method, preset), &pictures);
        }
        assert_as_pairs(&draft("clg", "fast"), &volumes);
    });
}

#[test]
fn holes_are_left_out_as_in_a_window() {
    let mut frames: Vec<_> = (0..7).map(|t| pictures::texture(0.75 * t as f32)).collect();
    with_holes(&mut frames);
    alone(|| {
        for (frames_of, count, centre) in [("two", 2, 0), ("three", 3, 1), ("five", 5, 2)] {
            let method = DenseMethodOptions::named("phase").and_then(|phase| phase.preset("accurate"));
            let method = method.unwrap().set("frames", frames_of).unwrap();
            let own = streamed(method.draft(), &frames, &session());
            assert_eq!(own.len(), frames.len() - count + 1);
            let choice = MethodChoice::new(method.draft().clone());
            for (first, own) in own.iter().enumerate() {
                let request = WindowRequest::new(&frames[first..first + count], &choice);
                let found = window(&request, &session()).unwrap().found;
                let theirs = [found.flow.planar_vox().to_vec(), found.confidence.into_data()];
                assert_same_bits(&format!("{frames_of} frames, window {first}"), own, &theirs);
                let hole = 6 * frames[0].grid().size()[0] + 8 + first + centre;
                assert!((first + centre) % 3 == 2 || own[0][hole].is_nan() && own[1][hole] == 0.0);
            }
        }
    });
}

/// Two pictures a frame, of which some have holes.
fn views() -> [Vec<Volume<f32>>; 2] {
    [0.0, -2.0].map(|view_px| {
        let mut frames: Vec<_> = (0..4).map(|t| pictures::texture(0.75 * t as f32 + view_px)).collect();
        with_holes(&mut frames);
        frames
    })
}

/// What an engine finds of two pictures a frame, and what it warns of.
fn found(request: EngineRequest, [left, right]: &[Vec<Volume<f32>>; 2]) -> (Vec<EngineFound>, Warnings) {
    let (session, method, mut warnings) = (session(), request.method.clone(), Warnings::new());
    let mut engine = Engine::new(request, &session).unwrap();
    let mut all = Vec::new();
    for (left, right) in left.iter().zip(right) {
        let views = [left.into(), right.into()];
        let views = EngineImage::of_views(&method, views, ["left", "right"], &mut warnings).unwrap();
        let [left, right] = views;
        all.extend(engine.push(left, Some(right)).unwrap());
    }
    while let Some(frame) = engine.drain().unwrap() {
        all.push(frame);
    }
    (all.into_iter().map(|frame| frame.fetch().unwrap()).collect(), warnings)
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn disparities_and_features_leave_holes_out() {
    let (views, draft) = (views(), DenseDraft::named("phase").unwrap());
    alone(|| {
        let request = EngineRequest {
            wanted: PhaseWanted { flow: false, stereo: true, features: true },
            fields: Some(ConfidenceChoice::Taken),
            scales: FeatureScales::All,
            ..EngineRequest::of_flow(&draft)
        };
        let (own, warnings) = found(request, &views);
        let told: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(told[0].starts_with("left: 17 of") && told[1].starts_with("right: 17 of"), "{told:?}");
        assert_eq!((own.len(), told.len()), (4, 6));
        for (t, own) in own.iter().enumerate() {
            let [left, right] = [&views[0][t], &views[1][t]];
            let fields = own.fields.as_ref().unwrap();
            let [disparity, sure] = [&fields.disparity_px, &fields.disparity_confidence];
            let [disparity, sure] = [disparity, sure].map(|map| map.as_ref().unwrap().data());
            let nx = left.grid().size()[0];
            let is_hole = |view: &Volume<f32>, index: usize| !view.data()[index].is_finite();
            for (index, (d, sure)) in disparity.iter().zip(sure).enumerate() {
                let nearest = (index % nx) as f32 - d + 0.5;
                let leads_there = *d == *d && is_hole(right, index / nx * nx + nearest.max(0.0) as usize);
                assert!(!(leads_there && nearest >= 0.0), "frame {t}: {index} leads into a hole");
                assert!(!is_hole(left, index) || d.is_nan() && *sure == 0.0, "frame {t}: {index}");
            }
            let known = disparity.iter().filter(|d| !d.is_nan()).count() as f64 / disparity.len() as f64;
            assert!(known > 0.5 && own.report.stereo_valid_share == Some(known));
            let theirs = features(&FeaturesRequest::new(left, &draft), &session()).unwrap();
            let maps = fields.features.iter().chain(&fields.coarser_features);
            assert_eq!(fields.coarser_features.len() + 1, theirs.levels.len());
            for (own, theirs) in maps.zip(&theirs.levels) {
                assert!(bits(own.energy.data()) == bits(theirs.energy.data()), "{t}");
                assert!(bits(own.phase_rad.data()) == bits(theirs.phase_rad.data()), "{t}");
            }
            assert_eq!(own.report.features_valid_share, Some(theirs.scales[0].valid_share));
        }
    });
}

#[test]
fn numbers_and_rounded_fields_leave_holes_out_too() {
    let (views, draft) = (views(), DenseDraft::named("phase").unwrap());
    alone(|| {
        let (confidences, scales) = (ConfidenceChoice::Taken, FeatureScales::Finest);
        let fields = EngineRequest {
            wanted: PhaseWanted { flow: false, stereo: true, features: true },
            fields: Some(confidences),
            ..EngineRequest::of_flow(&draft)
        };
        let numbers = EngineRequest { fields: None, ..fields.clone() };
        let delivery = Delivery { types: "f32".parse().unwrap(), confidences, scales };
        let rounded = EngineRequest { delivery: Some(delivery), ..numbers.clone() };
        let [fields, numbers, rounded] = [fields, numbers, rounded].map(|request| found(request, &views).0);
        for ((whole, number), rounded) in fields.iter().zip(&numbers).zip(&rounded) {
            for other in [number, rounded] {
                assert!(other.fields.is_none());
                assert_eq!(whole.report.stereo_valid_share, other.report.stereo_valid_share);
                assert_eq!(whole.report.features_valid_share, other.report.features_valid_share);
            }
            let disparity = whole.fields.as_ref().unwrap().disparity_px.as_ref().unwrap();
            let delivered = rounded.delivered.as_ref().unwrap().disparity_px.as_ref().unwrap();
            assert!(Some(bits(disparity.data())) == delivered.as_f32().map(bits));
        }
    });
}

#[test]
fn a_frame_without_data_is_refused_and_padding_is_a_hole() {
    let (draft, mut warnings) = (draft("clg", "fast"), Warnings::new());
    let nothing = pictures::texture(0.0).map(|_| f32::NAN);
    let refused = EngineImage::for_method(&draft, &nothing, "frame 7", &mut warnings).unwrap_err();
    assert!(refused.to_string().contains("frame 7 has no data"), "{refused}");
    let mut padded: Vec<_> = (0..3).map(volume).collect();
    padded.iter_mut().for_each(|frame| {
        frame.data_mut().iter_mut().step_by(9).for_each(|sample| *sample = -3024.0);
    });
    alone(|| assert_as_pairs(&draft, &padded));
}

#[test]
fn transparent_pixels_of_a_stream_have_no_data() {
    let place = tempfile::tempdir().unwrap();
    let frames: Vec<_> = (0..3).map(|t| pictures::texture(0.75 * t as f32)).collect();
    let [nx, ny, _] = frames[0].grid().size();
    let is_hidden = |index: usize| (10..20).contains(&(index % nx)) && (5..12).contains(&(index / nx));
    let mut film = format!("YUV4MPEG2 W{nx} H{ny} F25:1 C444alpha XCOLORRANGE=FULL\n").into_bytes();
    for frame in &frames {
        film.extend(b"FRAME\n");
        let luma = |(index, v): (usize, &f32)| if is_hidden(index) { (37 * index) as u8 } else { *v as u8 };
        film.extend(frame.data().iter().enumerate().map(luma));
        film.extend(vec![128; 2 * nx * ny]);
        film.extend((0..nx * ny).map(|index| if is_hidden(index) { 0 } else { 255 }));
    }
    std::fs::write(place.path().join("a.y4m"), film).unwrap();
    alone(|| {
        let run = jobs::engine(&job(&place.path().join("a.y4m"), &place.path().join("out")), &session());
        let told: Vec<_> = run.unwrap().report.header.warnings.iter().map(|w| w.message.clone()).collect();
        assert!(told.iter().any(|text| text.contains("transparent")), "{told:?}");
        let path = place.path().join("out/flow_confidence_000001.pfm");
        let confidence = io::read_image(&path, io::Strictness::Lenient, &mut Warnings::new()).unwrap();
        for (index, sure) in confidence.data().iter().enumerate() {
            assert!(!is_hidden(index) || *sure == 0.0, "{index}: {sure}");
        }
        assert!(confidence.data().iter().filter(|sure| **sure > 0.0).count() > nx * ny / 2);
    });
}
