//! Frames of sequences and streams on several devices at once: the fields of one device, in order.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure::smooth;
use veloxel_core::{Dimension, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, ConfidenceChoice, FlowExtras, MotionError, PairMethod, PairStream,
    SequenceField, SequenceFrames, SequenceMode, SequencePlan, run_pairs_side_by_side, run_sequence,
};
use veloxel_phantoms::catalogue::MotionKind;
use veloxel_testkit::every_device::here;

fn frames() -> Vec<Volume<f32>> {
    let [twist, sinusoid] =
        [MotionKind::Twist, MotionKind::Sinusoid].map(|kind| smooth(kind, Dimension::Three, 20));
    [
        &twist.fixed,
        &twist.moving,
        &sinusoid.moving,
        &sinusoid.fixed,
        &twist.fixed,
        &twist.moving,
        &sinusoid.fixed,
    ]
    .map(Clone::clone)
    .to_vec()
}

fn clg(device: &Device, frames: &[Volume<f32>]) -> Box<dyn PairMethod> {
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    Box::new(Clg::new(frames[0].grid(), params, device).unwrap())
}

fn alone(frames: &[Volume<f32>]) -> Vec<SequenceField> {
    let plan = SequencePlan { mode: SequenceMode::Consecutive, reference: 0, extras: FlowExtras::ALL };
    let mut fields = Vec::new();
    let mut keep = |field| {
        fields.push(field);
        Ok::<_, MotionError>(())
    };
    run_sequence(&mut *clg(&Device::cpu(2).unwrap(), frames), SequenceFrames::new(frames), plan, &mut keep)
        .unwrap();
    fields
}

/// Fails unless devices find together what one finds alone.
fn compare(devices: &[Device]) {
    let frames = frames();
    let mut methods: Vec<_> = devices.iter().map(|device| clg(device, &frames)).collect();
    let mut found = Vec::new();
    let mut keep = |field| {
        found.push(field);
        Ok::<_, MotionError>(())
    };
    run_pairs_side_by_side(&mut methods, SequenceFrames::new(&frames), FlowExtras::ALL, &mut keep).unwrap();
    let expected = alone(&frames);
    assert_eq!(found.len(), expected.len());
    for (own, theirs) in found.iter().zip(&expected) {
        assert_eq!((own.fixed, own.moving), (theirs.fixed, theirs.moving));
        assert!(own.output.flow == theirs.output.flow, "the flow of frame {}", own.fixed);
        assert!(own.output.confidence == theirs.output.confidence, "the confidence of frame {}", own.fixed);
    }

    let mut stream = PairStream::side_by_side(methods);
    let asked: Vec<_> = frames.iter().filter_map(|frame| stream.push(frame).unwrap()).collect();
    assert_eq!(asked.len(), expected.len());
    for (flow, theirs) in asked.into_iter().zip(&expected) {
        let own = flow.fetch(ConfidenceChoice::Taken).unwrap();
        assert!(own.flow == theirs.output.flow, "the stream's flow of frame {}", theirs.fixed);
    }
}

#[test]
fn two_and_three_devices_find_what_one_finds() {
    let cpu = || Device::cpu(1).unwrap();
    compare(&[cpu(), cpu()]);
    compare(&[cpu(), cpu(), cpu()]);
}

#[test]
fn the_gpus_of_one_device_take_frames_in_turn_wgpu() {
    here("wgpu", Device::named("wgpu", 1));
    let apart = Device::in_parts(2).unwrap().apart().unwrap();
    assert_eq!(apart.len(), 2);
    compare(&apart);
    assert_eq!(Device::cpu(1).unwrap().apart().unwrap().len(), 1);
}

#[test]
fn a_failure_of_who_takes_the_fields_or_of_a_stop_ends_all() {
    let frames = frames();
    let devices = [Device::cpu(1).unwrap(), Device::cpu(1).unwrap()];
    let mut methods: Vec<_> = devices.iter().map(|device| clg(device, &frames)).collect();
    let mut count = 0;
    let mut refuse = |_| {
        count += 1;
        if count < 2 { Ok(()) } else { Err(MotionError::Sequence { reason: "enough".to_owned() }) }
    };
    let mut run = |refuse: &mut dyn FnMut(SequenceField) -> Result<(), MotionError>| {
        run_pairs_side_by_side(&mut methods, SequenceFrames::new(&frames), FlowExtras::default(), refuse)
    };
    assert_eq!(run(&mut refuse), Err(MotionError::Sequence { reason: "enough".to_owned() }));
    devices[1].control().stop();
    let stopped = run(&mut |_| Ok(()));
    assert!(matches!(stopped, Err(MotionError::Stopped(_) | MotionError::Compute(_))), "{stopped:?}");
    let none = run_pairs_side_by_side::<MotionError>(
        &mut [],
        SequenceFrames::new(&frames),
        FlowExtras::ALL,
        &mut |_| Ok(()),
    );
    assert!(none.is_err());
}
