//! PNG, chunk by chunk: checksums stay right, and pixels are changed before they are compressed.

use super::{EDGES, Random, mutated};
use std::io::{Read, Write};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const NAMES: [&[u8; 4]; 20] = [
    b"PLTE", b"tRNS", b"gAMA", b"sBIT", b"cHRM", b"sRGB", b"iCCP", b"zTXt", b"iTXt", b"bKGD", b"hIST",
    b"pHYs", b"acTL", b"fcTL", b"fdAT", b"IDAT", b"IEND", b"eXIf", b"cICP", b"abCd",
];
/// Bits of a sample and kind of colour: all that the specification has.
const COLOURS: [[u8; 2]; 15] = [
    [1, 0],
    [2, 0],
    [4, 0],
    [8, 0],
    [16, 0],
    [8, 2],
    [16, 2],
    [1, 3],
    [2, 3],
    [4, 3],
    [8, 3],
    [8, 4],
    [16, 4],
    [8, 6],
    [16, 6],
];
/// Most bytes of a mutated stream of pixels, uncompressed.
const MOST_PIXEL_BYTES: u64 = 1 << 16;

struct Chunk {
    name: [u8; 4],
    data: Vec<u8>,
}

/// A changed file; none if these bytes are no PNG.
pub fn mutate(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut chunks = parse(file)?;
    for _ in 0..1 + random.below(3) {
        let (at, other) = (random.below(chunks.len()), random.below(chunks.len()));
        match random.below(8) {
            0 => chunks[at].data = mutated(&chunks[at].data),
            1 => change_header(&mut chunks[0].data, random),
            2 => {
                let Chunk { name, data } = &chunks[at];
                let copy = Chunk { name: *name, data: data.clone() };
                chunks.insert(other, copy);
            }
            3 if chunks.len() > 1 => drop(chunks.remove(at)),
            4 => chunks.swap(at, other),
            5 => {
                let length = random.one_of(&[0, 1, 2, 3, 4, 5, 6, 8, 9, 26, 32, 256, 768, 769]);
                let data = (0..length).map(|_| random.below(256) as u8).collect();
                chunks.insert(1 + random.below(chunks.len()), Chunk { name: *random.one_of(&NAMES), data });
            }
            _ => change_pixels(&mut chunks),
        }
    }
    Some(assemble(&chunks, random))
}

fn parse(file: &[u8]) -> Option<Vec<Chunk>> {
    let mut rest = file.strip_prefix(SIGNATURE)?;
    let mut chunks = Vec::new();
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let data = behind.get(..length).unwrap_or(behind).to_vec();
        chunks.push(Chunk { name: [head[4], head[5], head[6], head[7]], data });
        rest = behind.get(length.saturating_add(4)..).unwrap_or_default();
    }
    (!chunks.is_empty()).then_some(chunks)
}

/// Changes width, height, colours or interlacing.
fn change_header(header: &mut [u8], random: &mut Random) {
    if header.len() < 13 {
        return;
    }
    match random.below(4) {
        field @ (0 | 1) => {
            header[4 * field..4 * field + 4].copy_from_slice(&random.one_of(&EDGES).to_be_bytes());
        }
        2 => header[8..10].copy_from_slice(&random.one_of(&COLOURS)),
        _ => header[12] = random.below(2) as u8,
    }
}

/// Changes filters and samples, and compresses them again.
fn change_pixels(chunks: &mut [Chunk]) {
    let Some(chunk) = chunks.iter_mut().find(|chunk| &chunk.name == b"IDAT") else { return };
    let mut pixels = Vec::new();
    let zlib = flate2::read::ZlibDecoder::new(&chunk.data[..]);
    if zlib.take(MOST_PIXEL_BYTES).read_to_end(&mut pixels).is_ok() {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        let written = zlib.write_all(&mutated(&pixels)).and_then(|()| zlib.finish());
        chunk.data = written.expect("memory should take what is written");
    }
}

/// The file of these chunks; sometimes with a wrong length or checksum.
fn assemble(chunks: &[Chunk], random: &mut Random) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    for Chunk { name, data } in chunks {
        let length = if random.below(40) == 0 { random.one_of(&EDGES) } else { data.len() as u32 };
        let mut crc = flate2::Crc::new();
        crc.update(name);
        crc.update(data);
        let sum = if random.below(40) == 0 { random.one_of(&EDGES) } else { crc.sum() };
        file.extend(length.to_be_bytes());
        file.extend(name);
        file.extend(data);
        file.extend(sum.to_be_bytes());
    }
    file
}
