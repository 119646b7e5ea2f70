//! Tests of the sums on every device against their text for processors, and against sums in double precision.

use super::ColumnSums;
use crate::kernel::Kernel;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer};

/// Lengths, some of them infinite.
fn lengths(count: usize) -> Vec<f32> {
    noise(count, 3).into_iter().map(|v| if v > 0.4 { f32::INFINITY } else { 1.5 + v }).collect()
}

on_every_device! {
    fn sums_of_columns(device: &Device) {
        Pair::new(device).alike("sums", |device| {
            let shapes = [(700usize, 64usize, 11usize), (3, 16, 1), (17_000, 16, 2)];
            let sums = shapes.map(|(places, width, count)| {
                let columns = device.upload(lengths(places * width)).unwrap();
                let table = noise_buffer(device, places * count, 5);
                let mut sums = device.scratch(count * width).unwrap();
                let mut infinite = device.scratch(width).unwrap();
                let (columns, table) = (&columns, &table);
                ColumnSums { columns, width, table, count, sums: &mut sums, infinite: &mut infinite }.run(device).unwrap();
                let far: Vec<f32> = device.download(infinite).unwrap().into_iter().map(|n: u32| n as f32).collect();
                [sums, device.upload(far).unwrap()]
            });
            sums.into_iter().flatten().collect()
        });
    }
}

#[test]
fn infinite_lengths_are_counted_and_left_out() {
    let (places, width) = (5000, 16);
    let (columns, table) = (lengths(places * width), noise(places, 9));
    let found = super::sums_of_columns(&columns, width, &table, 1);
    for column in 0..width {
        let own = || columns.iter().skip(column).step_by(width).zip(&table);
        let sum: f64 = own().filter(|(d, _)| d.is_finite()).map(|(&d, &w)| f64::from(d) * f64::from(w)).sum();
        assert!((sum - f64::from(found.sums[column])).abs() < 1e-3, "{sum} {}", found.sums[column]);
        assert_eq!(found.infinite[column] as usize, own().filter(|(d, _)| d.is_infinite()).count());
    }
}
