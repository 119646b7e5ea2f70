//! Tests of the rows on every device against their text for processors.

use super::ColumnRows;
use crate::kernel::Kernel;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_buffer};

on_every_device! {
    fn rows_of_some_columns(device: &Device) {
        Pair::new(device).alike("rows", |device| {
            let shapes = [(77usize, 64usize, 40usize), (33, 16, 16), (5, 16, 1)];
            let rows = shapes.map(|(nodes, width, count)| {
                let place = |node: usize| ((node * 2 + 1) % nodes) as u32;
                let place_of = device.upload((0..nodes).map(place).collect()).unwrap();
                let row_of = device.upload((0..count as u32).rev().collect()).unwrap();
                let columns = noise_buffer(device, nodes * width, 7);
                let mut rows = device.zeros(nodes * count).unwrap();
                ColumnRows { columns: &columns, width, place_of: &place_of, row_of: &row_of, rows: &mut rows }
                    .run(device)
                    .unwrap();
                rows
            });
            rows.into()
        });
    }
}
