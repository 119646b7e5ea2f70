//! Mutations that know the parts of a format: without them most inputs end at a checksum.

mod png;
mod tiff;

use libfuzzer_sys::fuzzer_mutate;

/// Changes the first `size` bytes of `data`, whose length is the maximum, in a way that suits their format; returns the new
/// size.
pub fn mutate(format: &str, data: &mut [u8], size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed) << 1 | 1);
    let most = data.len();
    let mutated = match format {
        // Now and then without a plan: whole files have headers as well.
        _ if random.below(8) == 0 => None,
        "png" => png::mutate(&data[..size], &mut random),
        "tiff" => tiff::mutate(&data[..size], &mut random),
        _ => None,
    };
    match mutated.filter(|bytes| bytes.len() <= most) {
        Some(bytes) => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        None => fuzzer_mutate(data, size, most),
    }
}

/// The fuzzer's own mutation of some bytes, which may grow a little.
fn mutated(bytes: &[u8]) -> Vec<u8> {
    let mut room = bytes.to_vec();
    room.resize(bytes.len() + 64, 0);
    let most = room.len();
    let size = fuzzer_mutate(&mut room, bytes.len(), most);
    room.truncate(size);
    room
}

/// Numbers at which bounds are likely to break.
const EDGES: [u32; 20] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    15,
    16,
    32,
    64,
    255,
    256,
    257,
    65535,
    65536,
    0x00ff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

/// A small generator: a mutation must be the same for the same seed.
struct Random(u64);

impl Random {
    /// A number below `end`, which is above 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}
