//! Films of every kind that users have, made here by `ffmpeg` and read through it.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "a test that passes without ffmpeg says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use veloxel_core::{Control, Volume, Warnings};
use veloxel_io::*;

/// A folder for films, where there is `ffmpeg`; without it the test says so, and passes.
fn studio() -> Option<tempfile::TempDir> {
    let version = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).status();
    if version.is_ok_and(|status| status.success()) {
        return Some(tempfile::tempdir().unwrap());
    }
    println!("skipped: ffmpeg is not installed (apt-get install ffmpeg)");
    let required = std::env::var("VELOXEL_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|word| word == "ffmpeg"), "ffmpeg is required");
    None
}

/// A film of ffmpeg's moving test picture, odd in both sides.
fn film(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    filmed(folder, name, &["-f", "lavfi", "-i", "testsrc=s=63x45:r=30:d=0.5"], options)
}

fn filmed(folder: &Path, name: &str, input: &[&str], options: &[&str]) -> PathBuf {
    let path = folder.join(name);
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-nostdin"]).args(input).args(options).arg(&path);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    path
}

const LOSSLESS: [&str; 2] = ["-c:v", "ffv1"];

fn frames(path: &Path) -> (Result<Sequence>, Vec<String>) {
    let mut warnings = Warnings::new();
    let sequence = read_sequence(path, Strictness::Lenient, &mut warnings);
    (sequence, warnings.urgent().map(|warning| warning.message.clone()).collect())
}

use veloxel_core::Sequence;

/// The frames that a pipe of Y4M brings: what `ffmpeg -i FILM -f yuv4mpegpipe -` writes.
fn piped(folder: &Path, film: &Path) -> Vec<Volume<f32>> {
    let pipe = filmed(folder, "piped.y4m", &["-i", film.to_str().unwrap()], &["-strict", "-1"]);
    frames(&pipe).0.unwrap().into_frames()
}

#[test]
fn films_have_the_samples_of_a_pipe_whatever_their_pixels() {
    let Some(folder) = studio() else { return };
    let folder = folder.path();
    for (name, pixels, codec, white) in [
        ("a.mkv", "yuv420p", "mpeg4", 255.0),
        ("full.avi", "yuvj420p", "mjpeg", 255.0),
        ("grey.mkv", "gray", "ffv1", 255.0),
        ("grey10.mkv", "gray10le", "ffv1", 1023.0),
        ("wide.webm", "yuv444p", "libvpx-vp9", 255.0),
    ] {
        let path = film(folder, name, &["-pix_fmt", pixels, "-c:v", codec]);
        let (read, warnings) = frames(&path);
        let read = read.unwrap();
        assert_eq!(read.frames().len(), 15, "{name}");
        assert!((read.frame_interval_ms().unwrap() - 1e3 / 30.0).abs() < 1.0, "{name}");
        assert_eq!(read.grid().size(), [63, 45, 1], "{name}");
        let largest = read.frames()[0].data().iter().copied().fold(0.0, f32::max);
        assert!(largest > 0.8 * white && largest <= white, "{name}: {largest}");
        let expected = piped(folder, &path);
        assert!(read.frames().iter().zip(&expected).all(|(a, b)| a.data() == b.data()), "{name}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
    }
}

#[test]
fn odd_sides_of_ten_bits_lose_nothing() {
    let Some(folder) = studio() else { return };
    let folder = folder.path();
    let source = ["-f", "lavfi", "-i", "testsrc=s=64x46:r=30:d=0.2"];
    for pixels in ["yuv420p10le", "yuv422p12le"] {
        let even = filmed(folder, "even.mkv", &source, &["-pix_fmt", pixels, "-c:v", "ffv1"]);
        let options = ["-vf", "crop=63:45:0:0:exact=1", "-c:v", "ffv1"];
        let odd = filmed(folder, "odd.mkv", &["-i", even.to_str().unwrap()], &options);
        let whole = piped(folder, &even);
        let odd = frames(&odd).0.unwrap();
        assert_eq!((odd.grid().size(), odd.frames().len()), ([63, 45, 1], whole.len()), "{pixels}");
        for (odd, whole) in odd.frames().iter().zip(&whole) {
            let rows = odd.data().chunks(63).zip(whole.data().chunks(64));
            assert!(rows.clone().all(|(odd, whole)| odd == &whole[..63]), "{pixels}");
        }
    }
}

#[test]
fn colours_of_screens_and_palettes_become_luma() {
    let Some(folder) = studio() else { return };
    let colour = ["-f", "lavfi", "-i", "color=c=red:s=16x10:r=10:d=0.3"];
    // Of 0.299 R + 0.587 G + 0.114 B.
    let luma = 0.299 * 255.0;
    for (name, pixels, codec) in [("rgb.mkv", "bgr0", "ffv1"), ("palette.mkv", "pal8", "png")] {
        let path = filmed(folder.path(), name, &colour, &["-pix_fmt", pixels, "-c:v", codec]);
        let read = frames(&path).0.unwrap();
        let sample = read.frames()[1].data()[40];
        assert!((sample - luma).abs() <= 2.0, "{name}: {sample}, not {luma}");
    }
}

#[test]
fn a_turned_film_stands_upright() {
    let Some(folder) = studio() else { return };
    let folder = folder.path();
    let flat = film(folder, "flat.mp4", &["-pix_fmt", "yuv420p", "-c:v", "mpeg4"]);
    let input = ["-i", flat.to_str().unwrap()];
    let turned = filmed(folder, "turned.mov", &input, &["-c", "copy", "-metadata:s:v", "rotate=90"]);
    let (flat, turned) = (frames(&flat).0.unwrap(), frames(&turned).0.unwrap());
    let (flat, turned) = (&flat.frames()[3], &turned.frames()[3]);
    if turned.grid() == flat.grid() {
        // Newer programs write no such mark into a copy.
        println!("skipped: this ffmpeg writes no rotation");
        return;
    }
    assert_eq!(turned.grid().size(), [45, 63, 1]);
    let at = |image: &Volume<f32>, x: usize, y: usize| image.data()[y * image.grid().size()[0] + x];
    let clockwise = (0..63).all(|y| (0..45).all(|x| at(turned, x, y) == at(flat, y, 44 - x)));
    let other_way = (0..63).all(|y| (0..45).all(|x| at(turned, x, y) == at(flat, 62 - y, x)));
    assert!(clockwise || other_way);
}

#[test]
fn times_are_those_of_the_film() {
    let Some(folder) = studio() else { return };
    // Ten frames, then every third one.
    let uneven = [
        "-vf",
        "select='lt(n\\,10)+not(mod(n\\,3))'",
        "-vsync",
        "vfr",
        "-pix_fmt",
        "yuv420p",
        "-c:v",
        "mpeg4",
    ];
    let path = film(folder.path(), "uneven.mp4", &uneven);
    let mut warnings = Warnings::new();
    let mut stream = FrameStream::open(&path, Strictness::Lenient, &mut warnings).unwrap();
    assert!((stream.frame_interval_ms().unwrap() - 1e3 / 30.0).abs() < 1e-9, "what the film announces");
    let mut times = Vec::new();
    while stream.next_frame(&mut warnings).unwrap().is_some() {
        times.push((stream.time_ms().unwrap() * 30.0 / 1e3).round() as u32);
    }
    assert_eq!(times, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12]);
    assert_eq!(stream.frame_interval_ms(), None);
    let said: Vec<_> = warnings.urgent().map(|warning| warning.message.clone()).collect();
    assert!(said.len() == 1 && said[0].contains("evenly spaced"), "{said:?}");
    assert_eq!(frames(&path).0.unwrap().frame_interval_ms(), None);
}

#[test]
fn frames_are_named_and_looked_at_without_all_others() {
    let Some(folder) = studio() else { return };
    let path = film(folder.path(), "a.mkv", &LOSSLESS);
    let whole = frames(&path).0.unwrap();
    let named = |part: &str| folder.path().join(format!("a.mkv{part}"));
    // Fifteen frames are more than may be held.
    let few = || Reading::alone(ReadOptions { max_decode_bytes: Some(60_000), ..ReadOptions::default() });
    let mut warnings = Warnings::new();
    let one = read_image(&named("@4"), few(), &mut warnings).unwrap();
    assert_eq!(one.data(), whole.frames()[4].data());
    let some = read_sequence(&named("@1:8:6"), few(), &mut warnings).unwrap();
    assert_eq!(some.frames()[1].data(), whole.frames()[7].data());
    assert!((some.frame_interval_ms().unwrap() - 200.0).abs() < 1.0);
    assert!(matches!(read(&path, few(), &mut warnings), Err(IoError::Memory { .. })));
    let info = inspect(&path, few()).unwrap();
    assert_eq!((info.frames, info.size, info.format.name()), (15, [63, 45, 1], "film"));
    assert!(matches!(read_image(&named("@15"), few(), &mut warnings), Err(IoError::NoSuchFrame { .. })));
    let shape = FrameStream::shape(&path, few(), &mut warnings).unwrap();
    assert_eq!((shape.grid.size(), shape.frames), ([63, 45, 1], None));
}

#[test]
fn what_is_no_film_is_one_clear_line() {
    let Some(folder) = studio() else { return };
    let folder = folder.path();
    let sound = filmed(folder, "sound.mp4", &["-f", "lavfi", "-i", "sine=d=0.3"], &[]);
    let noise = folder.join("noise.mp4");
    std::fs::write(&noise, (0..5000u32).map(|i| (i * i * 7 + i / 3) as u8).collect::<Vec<_>>()).unwrap();
    let empty = folder.join("empty.mp4");
    std::fs::write(&empty, b"").unwrap();
    // A list of other files is no film, whatever its name.
    let list = folder.join("list.mp4");
    let other = film(folder, "other.ts", &["-c:v", "mpeg2video"]);
    std::fs::write(&list, format!("#EXTM3U\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n", other.display())).unwrap();
    for (path, word) in [
        (&sound, "sound alone"),
        (&noise, "ffmpeg fails on it"),
        (&empty, "the file is empty"),
        (&list, "ffmpeg fails on it"),
        (&folder.join("none.mp4"), "No such file"),
    ] {
        let error = frames(path).0.unwrap_err().to_string();
        assert!(error.contains(word) && error.lines().count() == 1, "{error}");
        assert!(error.contains(path.to_str().unwrap()) && error.len() < 400, "{error}");
    }
    let memory =
        read_bytes(&sound, &std::fs::read(&sound).unwrap(), Strictness::Lenient, &mut Warnings::new());
    assert!(matches!(memory, Err(IoError::Unsupported { .. })));
    // A name that looks like something else is a file.
    let odd = folder.join("-i concat:a|b.mkv");
    std::fs::copy(film(folder, "plain.mkv", &LOSSLESS), &odd).unwrap();
    assert_eq!(frames(&odd).0.unwrap().frames().len(), 15);
}

#[test]
fn a_film_that_is_cut_short_has_its_frames_and_then_an_error() {
    let Some(folder) = studio() else { return };
    let folder = folder.path();
    let plain = film(folder, "a.mkv", &LOSSLESS);
    let input = ["-i", plain.to_str().unwrap()];
    for (name, options) in [
        ("b.mkv", &["-c", "copy"][..]),
        ("c.mp4", &["-pix_fmt", "yuv420p", "-c:v", "mpeg4", "-g", "1", "-movflags", "+faststart"]),
        ("d.avi", &["-c:v", "mjpeg"]),
    ] {
        let whole = filmed(folder, name, &input, options);
        let bytes = std::fs::read(&whole).unwrap();
        let cut = folder.join(format!("cut_{name}"));
        std::fs::write(&cut, &bytes[..bytes.len() * 7 / 10]).unwrap();
        let mut warnings = Warnings::new();
        let mut stream = FrameStream::open(&cut, Strictness::Lenient, &mut warnings).unwrap();
        let mut count = 0;
        let end = loop {
            match stream.next_frame(&mut warnings) {
                Ok(Some(_)) => count += 1,
                end => break end,
            }
        };
        assert!((1..15).contains(&count), "{name}: {count}");
        let error = end.unwrap_err().to_string();
        assert!(error.contains("ffmpeg fails on it") && error.lines().count() == 1, "{name}: {error}");
        assert!(frames(&cut).0.is_err(), "{name}");
    }
}

#[test]
fn frames_of_two_sizes_are_refused() {
    let Some(folder) = studio() else { return };
    let folder = folder.path();
    let part = |name: &str, size: &str| {
        let input = format!("testsrc2=s={size}:r=25:d=0.2");
        let options = ["-c:v", "mpeg2video", "-f", "mpegts"];
        std::fs::read(filmed(folder, name, &["-f", "lavfi", "-i", &input], &options)).unwrap()
    };
    let both = folder.join("both.ts");
    std::fs::write(&both, [part("a.ts", "64x48"), part("b.ts", "96x80")].concat()).unwrap();
    let error = frames(&both).0.unwrap_err().to_string();
    assert!(error.lines().count() == 1 && error.contains("both.ts"), "{error}");
}

/// The processes of this user whose command line has a text.
fn processes_with(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let has = |entry: &std::fs::DirEntry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(text))
    };
    entries.filter(|entry| entry.file_name() != *std::process::id().to_string()).filter(has).count()
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_outlives_its_stream() {
    let Some(folder) = studio() else { return };
    // Long enough that the pipe is full.
    let long = ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=30:d=10"];
    let path = filmed(folder.path(), "long_lived_film.mkv", &long, &["-c:v", "mpeg4"]);
    let name = path.to_str().unwrap();
    let mut warnings = Warnings::new();
    let mut stream = FrameStream::open(&path, Strictness::Lenient, &mut warnings).unwrap();
    stream.next_frame(&mut warnings).unwrap().unwrap();
    assert_eq!(processes_with(name), 1, "it waits for room in the pipe");
    drop(stream);
    assert_eq!(processes_with(name), 0, "killed and reaped with its stream");
    // A stop, of a reader that waits for a camera that sends nothing.
    let control = Control::default();
    let reading = Files::under(control.clone()).reading(ReadOptions::default());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let begin = Instant::now();
    let opened = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(processes_with(&address), 1);
            control.stop();
        });
        FrameStream::open(Path::new(&address), reading, &mut Warnings::new()).map(drop)
    });
    assert!(matches!(opened, Err(IoError::Stopped(_))), "{opened:?}");
    assert!(begin.elapsed() < Duration::from_secs(3));
    assert_eq!(processes_with(&address), 0);
}

#[test]
fn a_stream_of_an_address_ends_with_its_sender_or_from_here() {
    let Some(folder) = studio() else { return };
    let path = film(folder.path(), "sent.ts", &["-c:v", "mpeg2video"]);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut sender = Command::new("ffmpeg")
        .args(["-v", "error", "-nostdin", "-stream_loop", "1", "-re", "-i", path.to_str().unwrap()])
        .args(["-c", "copy", "-f", "mpegts", &format!("tcp://127.0.0.1:{free}?listen=1")])
        .spawn()
        .unwrap();
    let address = PathBuf::from(format!("tcp://127.0.0.1:{free}"));
    let open = || FrameStream::open(&address, Strictness::Lenient, &mut Warnings::new());
    // The sender takes a while to listen.
    let until = Instant::now() + Duration::from_secs(10);
    let mut stream = loop {
        match open() {
            Ok(stream) => break stream,
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(50)),
            Err(error) => panic!("{error}"),
        }
    };
    let mut warnings = Warnings::new();
    let mut count = 0;
    while stream.next_frame(&mut warnings).unwrap().is_some() {
        count += 1;
    }
    sender.wait().unwrap();
    assert!((25..=30).contains(&count), "{count}");
    let error = open().map(drop).unwrap_err().to_string();
    assert!(error.contains("refused") && error.lines().count() == 1, "{error}");
}

#[test]
fn all_frames_of_a_camera_are_not_read_at_once() {
    let mut warnings = Warnings::new();
    let error = read(Path::new("rtsp://me:secret@host/a"), Strictness::Lenient, &mut warnings).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("rtsp://…@host/a: all frames") && !error.contains("secret"), "{error}");
}
