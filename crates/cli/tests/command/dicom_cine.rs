//! DICOM files of one slice over time, by hand.

use crate::workplace::Workplace;

/// An element with an explicit value representation.
fn element(tag: [u16; 2], vr: &str, value: &[u8]) -> Vec<u8> {
    let mut value = value.to_vec();
    if value.len() % 2 == 1 {
        value.push(if vr == "UI" { 0 } else { b' ' });
    }
    let mut bytes: Vec<u8> = tag.iter().flat_map(|half| half.to_le_bytes()).collect();
    bytes.extend(vr.as_bytes());
    if ["OB", "OW"].contains(&vr) {
        bytes.extend([0, 0]);
        bytes.extend((value.len() as u32).to_le_bytes());
    } else {
        bytes.extend((value.len() as u16).to_le_bytes());
    }
    bytes.extend(value);
    bytes
}

/// What tells one image of 32 × 24 pixels from another.
#[derive(Clone)]
pub struct Slice {
    pub instance: usize,
    pub trigger_ms: usize,
    /// The series' number; its UID and its description end in it.
    pub series: usize,
    pub position: &'static str,
    pub orientation: &'static str,
}

/// The slice z = 0 at a time, with an instance number.
pub fn slice(instance: usize, trigger_ms: usize) -> Slice {
    Slice { instance, trigger_ms, series: 1, position: "0\\0\\0", orientation: "1\\0\\0\\0\\1\\0" }
}

/// The file of an image.
pub fn image(slice: &Slice) -> Vec<u8> {
    let &Slice { instance, trigger_ms, series, position, orientation } = slice;
    let short = |tag, value: u16| element(tag, "US", &value.to_le_bytes());
    let text = |tag, vr, value: &str| element(tag, vr, value.as_bytes());
    let pixels = (0..24 * 32).map(|i| {
        let (x, y) = ((i % 32) as f32, (i / 32) as f32);
        1000.0 + 400.0 * ((x - instance as f32 / 4.0) / 3.0).sin() + 300.0 * (y / 4.0).cos()
    });
    let pixels: Vec<u8> = pixels.flat_map(|value| (value as u16).to_le_bytes()).collect();
    let group = [
        element([2, 1], "OB", &[0, 1]),
        text([2, 2], "UI", "1.2.840.10008.5.1.4.1.1.4"),
        text([2, 3], "UI", "1.2.3.4"),
        text([2, 0x10], "UI", "1.2.840.10008.1.2.1"),
        text([2, 0x12], "UI", "1.2.3"),
    ]
    .concat();
    let elements = [
        text([8, 0x60], "CS", "MR"),
        text([8, 0x103e], "LO", &format!("short axis {series}")),
        text([0x18, 0x50], "DS", "8"),
        text([0x18, 0x1060], "DS", &trigger_ms.to_string()),
        text([0x20, 0xe], "UI", &format!("1.2.3.5.{series}")),
        text([0x20, 0x11], "IS", &series.to_string()),
        text([0x20, 0x13], "IS", &instance.to_string()),
        text([0x20, 0x32], "DS", position),
        text([0x20, 0x37], "DS", orientation),
        short([0x28, 2], 1),
        text([0x28, 4], "CS", "MONOCHROME2"),
        short([0x28, 0x10], 24),
        short([0x28, 0x11], 32),
        text([0x28, 0x30], "DS", "1\\1"),
        short([0x28, 0x100], 16),
        short([0x28, 0x101], 16),
        short([0x28, 0x102], 15),
        short([0x28, 0x103], 0),
        element([0x7fe0, 0x10], "OW", &pixels),
    ];
    let length = element([2, 0], "UL", &(group.len() as u32).to_le_bytes());
    [&[0; 128], &b"DICM"[..], &length, &group, &elements.concat()].concat()
}

/// Writes four frames into a folder, `IM0001` to `IM0004`.
pub fn write_cine(place: &Workplace, folder: &str) {
    std::fs::create_dir_all(place.path(folder)).expect("a folder is made");
    for nth in 1..=4 {
        place.write(&format!("{folder}/IM{nth:04}"), image(&slice(nth, 30 * nth)));
    }
}
