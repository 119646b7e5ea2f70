//! Tests of the memory of every device: types of samples, and lengths below the capacity.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use veloxel_gpu::{Buffer, Device, Element};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, Fill};
use veloxel_testkit::on_every_device;

/// Uploads samples, fills a buffer up to a length, and reads it back: whole, and a part that begins and ends inside a word.
fn round_trip<T: Element>(device: &Device, samples: &[T], value: T) {
    let buffer = device.upload_copy(samples).unwrap();
    let end = samples.len() - 2;
    let parts = device.read_parts(&[(&buffer, 3..end), (&buffer, 0..1)]).unwrap();
    assert_eq!(parts, [&samples[3..end], &samples[..1]]);
    assert_eq!(device.download(buffer).unwrap(), samples);
    let mut filled: Buffer<T> = device.zeros(samples.len()).unwrap();
    assert_eq!(device.read(&filled).unwrap(), vec![T::default(); samples.len()]);
    Fill { value, out: &mut filled }.run(device).unwrap();
    assert_eq!(device.download(filled).unwrap(), vec![value; samples.len()]);
}

on_every_device! {
    fn samples_of_every_type_go_up_and_come_down(device: &Device) {
        for len in [5, 8, 4099, 70_001] {
            let number = |i: usize| (i * 37 + 11) as u32;
            round_trip(device, &(0..len).map(|i| number(i) as f32 - 0.5).collect::<Vec<_>>(), -3.25);
            round_trip(device, &(0..len).map(number).collect::<Vec<_>>(), 0xdead_beef);
            round_trip(device, &(0..len).map(|i| 7 - number(i) as i32).collect::<Vec<_>>(), -5);
            round_trip(device, &(0..len).map(|i| number(i) as u16).collect::<Vec<_>>(), 0xabcd);
            round_trip(device, &(0..len).map(|i| number(i) as u8).collect::<Vec<_>>(), 0xe7);
        }
    }

    fn a_buffer_serves_smaller_sizes(device: &Device) {
        let mut out = device.zeros(10_000).unwrap();
        for len in [10_000, 64, 7, 4096, 10_000] {
            let from = device.upload((0..len).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
            out.resize(len).unwrap();
            CopyBuffer { from: &from, to: &mut out }.run(device).unwrap();
            assert_eq!(device.read(&out).unwrap(), device.download(from).unwrap());
        }
        assert!(out.resize(10_001).unwrap_err().to_string().contains("10000"));
        assert_eq!((out.len(), out.capacity()), (10_000, 10_000));
    }

    fn what_was_done_before_is_done_without_new_memory(device: &Device) {
        let copied = || {
            let mut out = device.scratch(70_001).unwrap();
            let from = device.upload_copy(&vec![1.5f32; 70_001]).unwrap();
            CopyBuffer { from: &from, to: &mut out }.run(device).unwrap();
            let zeros = device.zeros::<u16>(9).unwrap();
            (device.read(&out).unwrap(), device.read(&zeros).unwrap())
        };
        let first = copied();
        let allocations = device.memory_stats().allocations;
        assert!(allocations >= 2 && device.memory_stats().kept_bytes > 0);
        for _ in 0..3 {
            // Memory of uploads is free when kernels have done with it.
            device.synchronise().unwrap();
            assert!(copied() == first);
        }
        assert_eq!(device.memory_stats().allocations, allocations);
    }
}
