use super::*;
use veloxel_kernels::image::deliver::{Deliver, SampleForm};
use veloxel_kernels::image::displaced_image::DisplacedImage;
use veloxel_kernels::image::quantise::{FixedPoint, Quantise};
use veloxel_kernels::image::valid_median::{MedianWindow, Planes, ValidMedian};
use veloxel_kernels::phase::forward_backward_check::{ForwardBackwardCheck, Matches};
use veloxel_kernels::phase::gabor::{
    Bank, Filters, Levels, LocalPhase, LocalPhaseOutputs, ORIENTATIONS, Picture, Pyramid, Sums, turns,
};
use veloxel_kernels::phase::phase_flow::{Constraints, PhaseFlow, PhaseLevel, PhaseSampling, PhaseWeighing};
use veloxel_kernels::phase::phase_stereo::{PhaseStereo, Views, Votes};
use veloxel_testkit::on_every_device;

/// Levels whose sizes divide by nothing and by everything, are smaller than a filter, or are a single pixel.
fn pyramids() -> Vec<Levels> {
    [[70, 41], [64, 32], [7, 5], [1, 9], [1, 1]].into_iter().map(|size| Levels::new(size, 4, 13)).collect()
}

fn image_pyramid(device: &Device, levels: &Levels, seed: u64) -> Buffer {
    let samples: Vec<f32> = noise(levels.pixels(0), seed).iter().map(|v| 100.0 + 80.0 * v).collect();
    let picture = Picture::from_samples(device, &samples).unwrap();
    let mut out = device.zeros(levels.len()).unwrap();
    Pyramid { levels, pictures: &[&picture], out: &mut [&mut out] }.run(device).unwrap();
    out
}

fn bank(least_magnitude: f32, sums: Sums) -> Bank {
    Bank { filters: Filters::new(2.35), rounding: None, least_magnitude, sums }
}

fn phases_of(device: &Device, levels: &Levels, seed: u64) -> Buffer<u16> {
    let images = image_pyramid(device, levels, seed);
    let mut phases = device.zeros(ORIENTATIONS * levels.len()).unwrap();
    let out = LocalPhaseOutputs { phases: Some(&mut phases), features: None };
    LocalPhase { levels, bank: &bank(2.0, Sums::Weighted), image: &images, out }.run(device).unwrap();
    phases
}

/// Noise of an amplitude, NaN here and there.
fn estimates(device: &Device, count: usize, size: [usize; 2], amplitude: f32) -> Buffer {
    let n = size[0] * size[1];
    let mut samples: Vec<f32> = noise(count * n, 5).iter().map(|v| amplitude * v).collect();
    for plane in samples.chunks_exact_mut(n) {
        plane.iter_mut().skip(3).step_by(7).for_each(|v| *v = f32::NAN);
        plane.iter_mut().skip(n / 2).take(n / 8).for_each(|v| *v = f32::NAN);
    }
    device.upload(samples).unwrap()
}

/// Numbers of both signs from the smallest to the largest, shares, halves between two, and what is not finite.
fn numbers_of_all_sizes(device: &Device, count: usize) -> Buffer {
    let special =
        [f32::NAN, f32::INFINITY, -f32::INFINITY, 65_520.0, -65_519.9, 1e-40, -0.0, 1.0, 0.99803925];
    let of = |(nth, noise): (usize, f32)| match nth % 4 {
        0 => special[nth / 4 % special.len()],
        1 => noise,
        2 => noise * 2f32.powi(nth as i32 % 60 - 30),
        _ => (1.0 + (nth % 2048) as f32 / 2048.0) * 2f32.powi(nth as i32 % 40 - 24),
    };
    device.upload(noise(count, 9).into_iter().enumerate().map(of).collect()).unwrap()
}

fn halved([nx, ny]: [usize; 2]) -> [usize; 2] {
    [nx.div_ceil(2), ny.div_ceil(2)]
}

on_every_device! {
    fn pyramids_of_samples_and_bytes(device: &Device) {
        for levels in pyramids() {
            Pair::new(device).alike(&format!("{:?}", levels.sizes()), |device| {
                let n = levels.pixels(0);
                let bytes: Vec<u8> = (0..n).map(|i| (i * 37 % 256) as u8).collect();
                let samples = noise(n, 3);
                let pictures =
                    [Picture::from_samples(device, &samples).unwrap(), Picture::from_bytes(device, &bytes).unwrap()];
                let mut out = device.zeros_field(6, levels.len()).unwrap();
                for (pair, out) in [(0, 0), (1, 1), (0, 1)].into_iter().zip(out.chunks_exact_mut(2)) {
                    let [a, b] = out else { unreachable!() };
                    let pictures = &[&pictures[pair.0], &pictures[pair.1]];
                    Pyramid { levels: &levels, pictures, out: &mut [a, b] }.run(device).unwrap();
                }
                out
            });
        }
    }

    fn phases_of_every_level(device: &Device) {
        for levels in pyramids() {
            for level in 0..levels.count() {
                let of = |device: &Device| {
                    let all = phases_of(device, &levels, 1);
                    device.upload(turns(device, &levels, level, &all).unwrap()).unwrap()
                };
                Pair::new(device).alike(&format!("{:?} {level}", levels.sizes()), |device| vec![of(device)]);
            }
        }
    }

    fn features_of_both_sums_and_fixed_points(device: &Device) {
        let fixed = FixedPoint { step: 0.5, most: 60.0 };
        for levels in pyramids() {
            for (sums, rounding) in [(Sums::Weighted, None), (Sums::Plain, None), (Sums::Weighted, Some(fixed))] {
                let what = format!("{:?} {sums:?} {rounding:?}", levels.sizes());
                Pair::new(device).alike(&what, |device| {
                    let images = image_pyramid(device, &levels, 2);
                    let bank = Bank { rounding, ..bank(4.0, sums) };
                    let run = |out: LocalPhaseOutputs<'_>| {
                        LocalPhase { levels: &levels, bank: &bank, image: &images, out }.run(device).unwrap();
                    };
                    let [mut alone, mut both] =
                        [(); 2].map(|()| [(); 3].map(|()| device.zeros(levels.len()).unwrap()));
                    run(LocalPhaseOutputs { phases: None, features: Some(&mut alone) });
                    let mut phases = device.zeros(ORIENTATIONS * levels.len()).unwrap();
                    run(LocalPhaseOutputs { phases: Some(&mut phases), features: Some(&mut both) });
                    let turns = device.upload(turns(device, &levels, 0, &phases).unwrap()).unwrap();
                    alone.into_iter().chain(both).chain([turns]).collect()
                });
            }
        }
    }

    fn flow_of_two_three_and_five_frames(device: &Device) {
        for levels in pyramids() {
            for (count, sampling) in
                [(2, PhaseSampling::Displaced), (3, PhaseSampling::Displaced), (5, PhaseSampling::Displaced), (5, PhaseSampling::InPlace)]
            {
                for (weighing, is_coarsest) in [(PhaseWeighing::ByFit, false), (PhaseWeighing::Alike, true)] {
                    let what = format!("{:?} {count} {sampling:?} {weighing:?}", levels.sizes());
                    Pair::new(device).alike(&what, |device| {
                        let frames: Vec<_> =
                            (0..count).map(|t| phases_of(device, &levels, 3 + t)).collect();
                        let place = PhaseLevel { levels: &levels, level: 0, sampling };
                        let constraints =
                            Constraints { tau_l: 1.5, min_orientations: 3, weighing };
                        let coarser = estimates(device, 2, halved(levels.size(0)), 1.5);
                        let n = levels.pixels(0);
                        let mut out = [device.zeros(2 * n).unwrap(), device.zeros(n).unwrap()];
                        let [flow, confidence] = &mut out;
                        let frames = &frames.iter().collect::<Vec<_>>()[..];
                        let coarser = (!is_coarsest).then_some(&coarser);
                        let kernel = PhaseFlow { place, constraints, frames, coarser, out: flow, confidence };
                        kernel.run(device).unwrap();
                        out.into()
                    });
                }
            }
        }
    }

    fn stereo_of_one_view_and_both(device: &Device) {
        for levels in pyramids() {
            for (views, sampling) in [
                (Views::Both, PhaseSampling::Displaced),
                (Views::Left, PhaseSampling::Displaced),
                (Views::Left, PhaseSampling::InPlace),
            ] {
                for is_coarsest in [false, true] {
                    Pair::new(device).alike(&format!("{:?} {views:?} {sampling:?}", levels.sizes()), |device| {
                        let pair = [phases_of(device, &levels, 8), phases_of(device, &levels, 9)];
                        let place = PhaseLevel { levels: &levels, level: 0, sampling };
                        let votes = Votes { min_orientations: 3, views };
                        let coarser = estimates(device, views.count(), halved(levels.size(0)), 3.0);
                        let n = views.count() * levels.pixels(0);
                        let mut out = device.zeros_field(2, n).unwrap();
                        let [disparity, confidence] = &mut out[..] else { unreachable!() };
                        let ([left, right], coarser) = (&pair, (!is_coarsest).then_some(&coarser));
                        let out_px = disparity;
                        PhaseStereo { place, votes, left, right, coarser, out: out_px, confidence }.run(device).unwrap();
                        out
                    });
                }
            }
        }
    }

    fn medians_of_what_is_known(device: &Device) {
        for levels in pyramids() {
            let size = levels.size(0);
            for window in [MedianWindow::One, MedianWindow::Three, MedianWindow::Five] {
                for (count, has_coarser) in [(1, false), (2, true)] {
                    Pair::new(device).alike(&format!("{size:?} {window:?} {count}"), |device| {
                        let input = estimates(device, count, size, 2.0);
                        let coarser = estimates(device, count, halved(size), 2.0);
                        let mut out = device.zeros_field(1, count * levels.pixels(0)).unwrap();
                        let mut confidence = noise_buffer(device, levels.pixels(0), 4);
                        let kernel = ValidMedian {
                            planes: Planes { size, count },
                            window,
                            estimates: &input,
                            coarser: has_coarser.then_some(&coarser),
                            out: &mut out[0],
                            confidence: Some(&mut confidence),
                        };
                        kernel.run(device).unwrap();
                        out.push(confidence);
                        out
                    });
                }
            }
        }
    }

    fn matches_there_and_back(device: &Device) {
        for levels in pyramids() {
            let (size, n) = (levels.size(0), levels.pixels(0));
            Pair::new(device).alike(&format!("{size:?}"), |device| {
                let [forward, backward] = [1.0, 1.5].map(|a| estimates(device, 2, size, a));
                let sure = noise_buffer(device, 2 * n, 6);
                let mut out = device.zeros_field(1, 2 * n).unwrap();
                out.extend(device.zeros_field(3, n).unwrap());
                let [flow, flow_sure, disparity, disparity_sure] = &mut out[..] else { unreachable!() };
                let check = |matches, out, confidence_out| {
                    let (threshold_px, confidence) = (1.0, &sure);
                    ForwardBackwardCheck { size, threshold_px, matches, confidence, out, confidence_out }
                        .run(device)
                        .unwrap();
                };
                check(Matches::Flow { forward: &forward, backward: &backward }, flow, flow_sure);
                check(Matches::Disparity(&forward), disparity, disparity_sure);
                out
            });
        }
    }

    fn images_displaced_by_one_plane_and_two(device: &Device) {
        for levels in pyramids() {
            for (planes, factor) in [(1, -1.0), (2, 2.0)] {
                Pair::new(device).alike(&format!("{:?} {planes}", levels.sizes()), |device| {
                    let image = image_pyramid(device, &levels, 7);
                    let coarser = estimates(device, planes, halved(levels.size(0)), 2.0);
                    let mut out = device.zeros(levels.pixels(0)).unwrap();
                    let (image, coarser) = (&image, &coarser);
                    DisplacedImage { levels: &levels, level: 0, factor, image, coarser, out: &mut out }
                        .run(device)
                        .unwrap();
                    vec![out]
                });
            }
        }
    }

    fn samples_that_leave(device: &Device) {
        for stretch in [0..1, 3..5, 0..3, 7..12, 1..1024, 2..97 * 31] {
            for form in [SampleForm::Whole, SampleForm::Half, SampleForm::Share, SampleForm::Angle { period: 3.0 }] {
                Pair::new(device).alike(&format!("{form:?} {stretch:?}"), |device| {
                    let samples = numbers_of_all_sizes(device, stretch.end);
                    let mut out = device.zeros(form.words(stretch.len())).unwrap();
                    let stretch = stretch.clone();
                    Deliver { form, stretch, samples: &samples, out: &mut out }.run(device).unwrap();
                    // As whole numbers: words of two halves need not be numbers.
                    let words = device.download(out).unwrap();
                    let parts = words.iter().flat_map(|&word| [word & 0xffff, word >> 16]);
                    vec![device.upload(parts.map(|part| part as f32).collect()).unwrap()]
                });
            }
        }
    }

    fn fixed_points(device: &Device) {
        Pair::new(device).alike("quantise", |device| {
            let mut samples = estimates(device, 1, [97, 31], 9.0);
            let form = FixedPoint { step: 0.0625, most: 7.0 };
            Quantise { form, samples: &mut samples }.run(device).unwrap();
            vec![samples]
        });
    }
}
