use crate::content::Content;
use crate::read::reading::Strictness;
use veloxel_core::Warnings;

/// A tag with one number, or with bytes of text.
enum Entry<'a> {
    Word(u16, u16),
    Text(&'a str),
}

/// A little-endian file of one page for each list of tags, with the same bytes of samples behind one another.
fn file(pages: &[(&[Entry], &[u8])]) -> Vec<u8> {
    let mut bytes = b"II*\0\0\0\0\0".to_vec();
    let mut pointer = 4;
    for (entries, samples) in pages {
        let begin = bytes.len() as u32;
        bytes.extend(*samples);
        let mut list: Vec<[u32; 4]> = Vec::new();
        for entry in *entries {
            match entry {
                Entry::Word(tag, value) => list.push([u32::from(*tag), 3, 1, u32::from(*value)]),
                Entry::Text(text) => {
                    list.push([270, 2, text.len() as u32 + 1, bytes.len() as u32]);
                    bytes.extend(text.as_bytes());
                    bytes.push(0);
                }
            }
        }
        list.push([273, 4, 1, begin]);
        list.push([279, 4, 1, samples.len() as u32]);
        list.sort_by_key(|entry| entry[0]);
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let directory = (bytes.len() as u32).to_le_bytes();
        bytes[pointer..pointer + 4].copy_from_slice(&directory);
        bytes.extend((list.len() as u16).to_le_bytes());
        for [tag, kind, count, value] in list {
            bytes.extend((tag as u16).to_le_bytes());
            bytes.extend((kind as u16).to_le_bytes());
            bytes.extend(count.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        pointer = bytes.len();
        bytes.extend([0; 4]);
    }
    bytes
}

/// Tags of a page of 3 × 2 pixels.
fn page(bits: u16, format: u16, photometric: u16, more: Vec<Entry>) -> Vec<Entry> {
    let mut entries = vec![
        Entry::Word(256, 3),
        Entry::Word(257, 2),
        Entry::Word(258, bits),
        Entry::Word(259, 1),
        Entry::Word(262, photometric),
        Entry::Word(278, 2),
        Entry::Word(339, format),
    ];
    entries.extend(more);
    entries
}

fn read(bytes: &[u8]) -> Result<(Vec<Vec<f32>>, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    std::fs::write(&path, bytes).unwrap();
    let mut warnings = Warnings::new();
    let content =
        crate::read::read(&path, Strictness::Lenient, &mut warnings).map_err(|error| error.to_string())?;
    let said: String = warnings.iter().map(|w| w.message.clone()).collect();
    let frames = match content {
        Content::Image(image) => vec![image],
        Content::Sequence(sequence) => sequence.into_frames(),
        other => panic!("{}", other.describe()),
    };
    Ok((frames.iter().map(|frame| frame.data().to_vec()).collect(), said))
}

fn one(entries: Vec<Entry>, samples: &[u8]) -> (Vec<f32>, String) {
    let (mut frames, said) = read(&file(&[(&entries, samples)])).unwrap();
    (frames.remove(0), said)
}

#[test]
fn samples_of_every_size() {
    let words: Vec<u8> = (0..6u64).flat_map(|v| (300 * v).to_le_bytes()).collect();
    assert_eq!(one(page(64, 1, 1, vec![]), &words).0, [0.0, 300.0, 600.0, 900.0, 1200.0, 1500.0]);
    let signed: Vec<u8> = (0..6i64).flat_map(|v| (-v).to_le_bytes()).collect();
    assert_eq!(one(page(64, 2, 1, vec![]), &signed).0[5], -5.0);
    // One half, one, two.
    let halves: Vec<u8> = [0x3800u16, 0x3c00, 0x4000, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(one(page(16, 3, 1, vec![]), &halves).0[..3], [0.5, 1.0, 2.0]);
    assert_eq!(one(page(1, 1, 1, vec![]), &[0b1010_0000, 0b0110_0000]).0, [1., 0., 1., 0., 1., 1.]);
    assert_eq!(one(page(4, 1, 1, vec![]), &[0x12, 0x30, 0xf0, 0xa0]).0, [1., 2., 3., 15., 0., 10.]);
    let twelve = [0x12, 0x3f, 0xff, 0x80, 0x00, 0x00, 0x1a, 0xbc, 0xde, 0xf0];
    let expected = [0x123, 0xfff, 0x800, 0x001, 0xabc, 0xdef].map(|v: u16| f32::from(v));
    assert_eq!(one(page(12, 1, 1, vec![]), &twelve).0, expected);
    let turned_over = expected.map(|v| 4095.0 - v);
    assert_eq!(one(page(12, 1, 0, vec![]), &twelve).0, turned_over);
    // A page of bytes behind it is one of bytes.
    let pages = [page(12, 1, 1, vec![]), page(8, 1, 1, vec![])];
    let (frames, _) = read(&file(&[(&pages[0], &twelve), (&pages[1], &[1, 2, 3, 4, 5, 6])])).unwrap();
    assert_eq!(frames, [expected.to_vec(), vec![1., 2., 3., 4., 5., 6.]]);
    let wide = vec![Entry::Word(277, 3)];
    let refused = read(&file(&[(&page(12, 1, 2, wide), &[0; 30])])).unwrap_err();
    assert!(refused.contains("12"), "{refused}");
}

#[test]
fn lzw_of_the_old_kind_is_named() {
    let lzw = |samples: &[u8]| {
        let mut entries = page(8, 1, 1, vec![]);
        entries.retain(|entry| !matches!(entry, Entry::Word(259, _)));
        entries.push(Entry::Word(259, 5));
        read(&file(&[(&entries, samples)]))
    };
    let refused = lzw(&[0x00, 0x01, 0x02, 0x04, 0x08]).unwrap_err();
    assert!(refused.contains("before version 6") && refused.contains("save it again"), "{refused}");
    // Emptied, seven six times, ended: codes of nine bits, the highest bit first.
    let codes = [256u32, 7, 258, 259, 257];
    let bits = codes.iter().fold(0u64, |bits, code| bits << 9 | u64::from(*code)) << (64 - 45);
    assert_eq!(lzw(&bits.to_be_bytes()[..6]).unwrap().0, [vec![7.0; 6]]);
}

#[test]
fn a_text_longer_than_the_file_is_refused_on_every_page() {
    let text = || page(8, 1, 1, vec![Entry::Text("-99")]);
    let mut bytes = file(&[(&page(8, 1, 1, vec![]), &[1; 6]), (&text(), &[2; 6])]);
    assert_eq!(read(&bytes).unwrap().0.len(), 2);
    let at = bytes.windows(4).rposition(|entry| entry == [14, 1, 2, 0]).unwrap();
    bytes[at + 4..at + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    let refused = read(&bytes).unwrap_err();
    assert!(refused.contains("TIFF directory entry"), "{refused}");
}

#[test]
fn bits_that_are_stored_lowest_first_are_turned_round() {
    let order = || vec![Entry::Word(266, 2)];
    assert_eq!(one(page(1, 1, 1, order()), &[0b0000_0101, 0b0000_0110]).0, [1., 0., 1., 0., 1., 1.]);
    assert_eq!(
        one(page(8, 1, 1, order()), &[0x80, 0x40, 0xc0, 0x20, 0xa0, 0xff]).0,
        [1., 2., 3., 4., 5., 255.]
    );
    let words: Vec<u8> = (1..7u16).flat_map(|v| (300 * v).to_le_bytes()).map(u8::reverse_bits).collect();
    assert_eq!(one(page(16, 1, 1, order()), &words).0, [300., 600., 900., 1200., 1500., 1800.]);
    // Each page by its own order, and 1: as usual.
    let pages = [page(8, 1, 1, order()), page(8, 1, 1, vec![Entry::Word(266, 1)])];
    let (frames, _) = read(&file(&[(&pages[0], &[0x80; 6]), (&pages[1], &[2; 6])])).unwrap();
    assert_eq!(frames, [vec![1.0; 6], vec![2.0; 6]]);
}

#[test]
fn white_is_zero_turns_whole_numbers_over_and_nothing_else() {
    assert_eq!(one(page(8, 1, 0, vec![]), &[0, 1, 2, 3, 4, 255]).0[..2], [255.0, 254.0]);
    let floats: Vec<u8> = [0.1f32, 7.0, 0.0, 0.0, 0.0, 1e-9].iter().flat_map(|v| v.to_le_bytes()).collect();
    let (values, said) = one(page(32, 3, 0, vec![]), &floats);
    assert_eq!(values, [0.1, 7.0, 0.0, 0.0, 0.0, 1e-9]);
    assert!(said.contains("stay as they are"), "{said}");
    assert_eq!(one(page(1, 1, 0, vec![]), &[0b1010_0000, 0]).0[..3], [1.0, 0.0, 1.0]);
}

#[test]
fn channels_one_after_the_other() {
    let more = vec![Entry::Word(277, 3), Entry::Word(284, 2)];
    let planes: Vec<u8> = (0..18).map(|v| 10 * (v % 6) + v / 6).collect();
    // One strip a plane.
    let mut bytes = file(&[(&page(8, 1, 2, more), &planes)]);
    let place = bytes.len() as u32;
    let strips: Vec<u8> = (0..3u32)
        .flat_map(|n| (8 + 6 * n).to_le_bytes())
        .chain((0..3).flat_map(|_| 6u32.to_le_bytes()))
        .collect();
    bytes.extend(strips);
    for (tag, at) in [(273u16, place), (279, place + 12)] {
        let entry = bytes.windows(4).position(|w| w == [&tag.to_le_bytes()[..], &[4, 0]].concat()).unwrap();
        bytes[entry + 4..entry + 8].copy_from_slice(&3u32.to_le_bytes());
        bytes[entry + 8..entry + 12].copy_from_slice(&at.to_le_bytes());
    }
    let (frames, _) = read(&bytes).unwrap();
    let luminance = |n: f32| 0.299 * (10.0 * n) + 0.587 * (10.0 * n + 1.0) + 0.114 * (10.0 * n + 2.0);
    assert!((0..6).all(|n| (frames[0][n] - luminance(n as f32)).abs() < 1e-4), "{:?}", frames[0]);
}

#[test]
fn tiles_of_one_channel_each_that_the_picture_cuts() {
    let more = vec![Entry::Word(277, 3), Entry::Word(284, 2), Entry::Word(322, 16), Entry::Word(323, 16)];
    // 3 × 2 pixels lie in the corner of a tile of 16 × 16, one for each channel.
    let tile =
        |channel: usize| {
            (0..256).map(move |at| {
                if at % 16 < 3 && at < 32 { (10 * (at % 16 + at / 16 * 3) + channel) as u8 } else { 99 }
            })
        };
    let tiles: Vec<u8> = (0..3).flat_map(tile).collect();
    let mut bytes = file(&[(&page(8, 1, 2, more), &tiles)]);
    let place = bytes.len() as u32;
    bytes.extend((0..3u32).flat_map(|n| (8 + 256 * n).to_le_bytes()));
    bytes.extend((0..3).flat_map(|_| 256u32.to_le_bytes()));
    for (tag, of_tiles, at) in [(273u16, 324u16, place), (279, 325, place + 12)] {
        let entry = bytes.windows(4).position(|w| w == [&tag.to_le_bytes()[..], &[4, 0]].concat()).unwrap();
        bytes[entry..entry + 2].copy_from_slice(&of_tiles.to_le_bytes());
        bytes[entry + 4..entry + 8].copy_from_slice(&3u32.to_le_bytes());
        bytes[entry + 8..entry + 12].copy_from_slice(&at.to_le_bytes());
    }
    // The rows of a strip.
    let rows = bytes.windows(4).position(|w| w == [22, 1, 3, 0]).unwrap();
    bytes[rows..rows + 2].copy_from_slice(&305u16.to_le_bytes());
    let (frames, _) = read(&bytes).unwrap();
    let luminance = |n: f32| 0.299 * (10.0 * n) + 0.587 * (10.0 * n + 1.0) + 0.114 * (10.0 * n + 2.0);
    assert!((0..6).all(|n| (frames[0][n] - luminance(n as f32)).abs() < 1e-4), "{:?}", frames[0]);
}

#[test]
fn stacks_thumbnails_and_channels() {
    let stack = |text: &str, images: u8| {
        let samples: Vec<u8> = (0..6 * images).collect();
        read(&file(&[(&page(8, 1, 1, vec![Entry::Text(text)]), &samples)]))
    };
    let (frames, _) = stack("ImageJ=1.53t\nimages=4\nframes=4\n", 4).unwrap();
    assert_eq!(frames.iter().map(|frame| frame[0]).collect::<Vec<_>>(), [0.0, 6.0, 12.0, 18.0]);
    assert!(stack("ImageJ=1.53t\nimages=4\nchannels=2\nframes=2\n", 4).unwrap_err().contains("2 channels"));
    assert!(stack("ImageJ=1.53t\nimages=40\nframes=40\n", 4).unwrap_err().contains("stack"));
    let samples = [1, 2, 3, 4, 5, 6];
    let ome = r#"<OME><Pixels SizeC="2" SizeT="1" SizeZ="1"/></OME>"#;
    let described = page(8, 1, 1, vec![Entry::Text(ome)]);
    let plain = page(8, 1, 1, vec![]);
    let refused = read(&file(&[(&described, &samples), (&plain, &samples)])).unwrap_err();
    assert!(refused.contains("no frames over time"), "{refused}");
    for tag in [Entry::Word(254, 1), Entry::Word(254, 4), Entry::Word(255, 2)] {
        let other = page(8, 1, 1, vec![tag]);
        let (frames, said) = read(&file(&[(&plain, &samples), (&other, &samples)])).unwrap();
        assert!(frames.len() == 1 && said.contains("left out"), "{said}");
    }
}

#[test]
fn a_picture_is_shown_upright() {
    let samples = [1, 2, 3, 4, 5, 6];
    let shown = |orientation: u16| one(page(8, 1, 1, vec![Entry::Word(274, orientation)]), &samples).0;
    assert_eq!(shown(1), [1., 2., 3., 4., 5., 6.]);
    assert_eq!(shown(2), [3., 2., 1., 6., 5., 4.]);
    assert_eq!(shown(3), [6., 5., 4., 3., 2., 1.]);
    assert_eq!(shown(4), [4., 5., 6., 1., 2., 3.]);
    assert_eq!(shown(5), [1., 4., 2., 5., 3., 6.]);
    // The first row of the file is the last column of the picture.
    assert_eq!(shown(6), [4., 1., 5., 2., 6., 3.]);
    assert_eq!(shown(8), [3., 6., 2., 5., 1., 4.]);
}

#[test]
fn a_thumbnail_may_come_first_and_opacity_turns_with_its_picture() {
    let thumbnail = page(8, 1, 1, vec![Entry::Word(254, 1)]);
    let whole = page(8, 1, 1, vec![]);
    let (frames, said) = read(&file(&[(&thumbnail, &[9; 6]), (&whole, &[1, 2, 3, 4, 5, 6])])).unwrap();
    assert_eq!(frames, [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]);
    assert!(said.contains("1 thumbnails"), "{said}");
    // All of them call themselves something else: the first counts.
    let (frames, _) = read(&file(&[(&thumbnail, &[9; 6]), (&thumbnail, &[8; 6])])).unwrap();
    assert_eq!(frames, [[9.0; 6]]);
}

#[test]
fn unusual_numbers_of_bits_are_refused_by_name() {
    for bits in [6, 10, 14, 24] {
        let refused = read(&file(&[(&page(bits, 1, 1, vec![]), &[0; 24])])).unwrap_err();
        assert!(refused.contains(&format!("{bits}")) && refused.contains("supported"), "{refused}");
    }
}

#[test]
fn directories_that_share_bytes_are_refused_before_they_are_followed() {
    let entries = page(8, 1, 1, vec![]);
    let whole = file(&[(&entries, &[1, 2, 3, 4, 5, 6])]);
    assert!(read(&whole).is_ok());
    // The only directory leads back to itself.
    let mut circle = whole.clone();
    let end = circle.len() - 4;
    circle.copy_within(4..8, end);
    // Two directories, of which the second begins within the first.
    let mut nested = whole.clone();
    let inner = u32::from_le_bytes([whole[4], whole[5], whole[6], whole[7]]) + 12;
    nested[end..].copy_from_slice(&inner.to_le_bytes());
    nested[inner as usize..inner as usize + 2].copy_from_slice(&8u16.to_le_bytes());
    nested.resize(nested.len() + 2, 0);
    for bytes in [circle, nested] {
        let said = read(&bytes).unwrap_err();
        assert!(said.contains("share bytes, or lead back"), "{said}");
    }
}

#[test]
fn what_gdal_calls_no_data_is_unknown() {
    let bytes: Vec<u8> =
        [1.0f32, -9999.0, 3.0, -9999.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut whole = file(&[(&page(32, 3, 1, vec![Entry::Text("-9999")]), &bytes)]);
    // The tag of a description is made that of the number without data.
    let at = whole.windows(4).rposition(|tag| tag == [14, 1, 2, 0]).unwrap();
    let mut moved = whole[at..at + 12].to_vec();
    moved[..2].copy_from_slice(&42113u16.to_le_bytes());
    whole[at..at + 12].copy_from_slice(&moved);
    let (frames, said) = read(&whole).unwrap();
    assert!(frames[0][1].is_nan() && frames[0][3].is_nan(), "{frames:?}");
    assert_eq!([frames[0][0], frames[0][2], frames[0][5]], [1.0, 3.0, 6.0]);
    assert!(said.contains("2 samples are no data"), "{said}");
}

#[test]
fn slices_at_several_times_are_no_frames_one_after_the_other() {
    let stack = |text| {
        let first = page(8, 1, 1, vec![Entry::Text(text)]);
        let other = page(8, 1, 1, vec![]);
        let samples: &[u8] = &[1, 2, 3, 4, 5, 6];
        read(&file(&[(&first, samples), (&other, samples), (&other, samples), (&other, samples)]))
    };
    let refused = stack("ImageJ=1.53t\nimages=4\nslices=2\nframes=2\nhyperstack=true\n").unwrap_err();
    assert!(refused.contains("2 slices at 2 times"), "{refused}");
    let (frames, said) = stack("ImageJ=1.53t\nimages=4\nslices=4\n").unwrap();
    assert!(frames.len() == 4 && said.contains("counts 4 slices"), "{said}");
}

#[test]
fn a_compression_that_is_not_read_is_named() {
    for (number, name) in [(34925, "LZMA"), (50000, "ZSTD"), (34887, "LERC"), (4, "CCITT T.6")] {
        let mut entries = page(8, 1, 1, vec![]);
        entries[3] = Entry::Word(259, number);
        let refused = read(&file(&[(&entries, &[0; 6])])).unwrap_err();
        assert!(refused.contains(name) && refused.contains("deflate"), "{refused}");
    }
}
