#![no_main]

use libfuzzer_sys::fuzz_target;
use veloxel_io::Format;

#[path = "any_bytes.rs"]
mod any_bytes;

fuzz_target!(|bytes: &[u8]| any_bytes::read(Format::Gif, bytes));
