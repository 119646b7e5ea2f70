//! Readers and writers stop when they are told to, and leave nothing behind; sessions beside each other do not see it.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use veloxel_core::{
    Control, Diagnosis, ErrorKind, Flow, GraphKind, Grid, Observer, Sequence, Step, TriangleMesh, Volume,
    Warnings,
};
use veloxel_io::*;

/// Stops at a question, and counts them.
struct StopsAt {
    nth: usize,
    asked: AtomicUsize,
}

impl Observer for StopsAt {
    fn step(&self, _: Step) -> ControlFlow<()> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if asked < self.nth { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Files whose readers and writers are told to stop at the nth question, the first of which is due.
fn stopping_at(nth: usize) -> (Arc<StopsAt>, Files) {
    let observer = Arc::new(StopsAt { nth, asked: AtomicUsize::new(0) });
    let files = Files::under(Control::followed_by(observer.clone()));
    // Questions come every 20 ms.
    std::thread::sleep(Duration::from_millis(25));
    (observer, files)
}

/// Checks that work is stopped by the first question, as a stop, and asks nobody again.
#[track_caller]
fn assert_stopped<T>(what: &str, work: impl FnOnce(&Files) -> Result<T>) {
    let (observer, files) = stopping_at(1);
    let error = work(&files).err().unwrap_or_else(|| panic!("{what} should stop"));
    assert!(matches!(error, IoError::Stopped(_)), "{what}: {error}");
    assert_eq!(error.kind(), ErrorKind::Stopped);
    assert_eq!(observer.asked.load(Ordering::Relaxed), 1, "{what}");
}

/// Numbers without a pattern.
fn noise(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 1u32;
    (0..count).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
}

fn picture(side: usize) -> Volume<f32> {
    let samples = noise(side * side).map(|v| (v % 256) as f32).collect();
    Volume::new(Grid::image(side, side).unwrap(), samples).unwrap()
}

fn volume(side: usize) -> Volume<f32> {
    let samples = noise(side * side * side).map(|v| (v % 4096) as f32).collect();
    Volume::new(Grid::volume(side, side, side).unwrap(), samples).unwrap()
}

/// A surface of `2 · side²` triangles.
fn surface(side: u32) -> TriangleMesh {
    let points =
        (0..=side).flat_map(|y| (0..=side).map(move |x| [f64::from(x), f64::from(y), 0.0])).collect();
    let corner = move |x: u32, y: u32| y * (side + 1) + x;
    let cell = |(x, y)| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
        [[a, b, d], [a, d, c]]
    };
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    TriangleMesh::new(points, cells.flat_map(cell).collect()).unwrap()
}

fn pictures_that_are_written() -> Vec<&'static str> {
    let formats = Format::all().iter().filter(|format| format.writes(ContentKind::Image));
    formats.map(|format| format.extensions()[0]).collect()
}

#[test]
fn readers_of_every_format_of_images_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for extension in pictures_that_are_written() {
        let path = path(&format!("a.{extension}"));
        write_image(&path, &picture(300), &mut Warnings::new()).unwrap();
        let read =
            |files: &Files| read_image(&path, files.reading(ReadOptions::default()), &mut Warnings::new());
        assert_stopped(extension, read);
        assert!(read(&Files::default()).is_ok(), "{extension}");
    }
    write_image(path("a.nii.gz"), &volume(60), &mut Warnings::new()).unwrap();
    assert_stopped("nii.gz", |files| inspect(&path("a.nii.gz"), files.reading(ReadOptions::default())));
    assert_stopped("bytes", |files| {
        let bytes = std::fs::read(path("a.nii.gz")).unwrap();
        let reading = files.reading(ReadOptions::default());
        read_bytes(Path::new("a.nii.gz"), &bytes, reading, &mut Warnings::new())
    });
    let frames: Vec<_> = (0..4).map(|nth| path(&format!("frame_{nth}.png"))).collect();
    frames.iter().for_each(|frame| write_image(frame, &picture(60), &mut Warnings::new()).unwrap());
    assert_stopped("frames", |files| {
        read_frames(&frames, files.reading(ReadOptions::default()), &mut Warnings::new())
    });
    assert_stopped("a stream of frames", |files| {
        let reading = files.reading(ReadOptions::default());
        FrameStream::of_files(frames.clone(), reading).next_frame(&mut Warnings::new())
    });
}

#[test]
fn readers_of_texts_and_meshes_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (mesh, values) = (surface(60), vec![1u32; 7200]);
    let (rgb, certainty) = (vec![[9, 9, 9]; 7200], vec![1.0; 7200]);
    let painted = PaintedMesh { mesh: &mesh, rgb: &rgb, certainty: &certainty, segment: &values };
    for name in ["a.ply", "a.glb"] {
        write_painted_mesh(path(name), &painted).unwrap();
    }
    std::fs::write(path("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(path("a.off"), "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
    for name in ["a.ply", "a.glb", "a.obj", "a.off"] {
        assert_stopped(name, |files| {
            read_surface(&path(name), files.reading(ReadOptions::default()), &mut Warnings::new())
        });
    }
    write_face_labels(path("a.seg"), &values).unwrap();
    assert_stopped("seg", |files| read_face_labels(&path("a.seg"), files.reading(ReadOptions::default())));
    std::fs::write(path("a.csv"), "from,to,weight\n0,1,2\n").unwrap();
    assert_stopped("graph", |files| {
        read_graph(
            &path("a.csv"),
            GraphKind::Directed,
            files.reading(ReadOptions::default()),
            &mut Warnings::new(),
        )
    });
}

#[test]
fn a_large_file_is_given_up_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let samples = volume(180);
    for name in ["a.mha", "a.npy", "a.nrrd", "a.nii.gz"] {
        let path = folder.path().join(name);
        write_image(&path, &samples, &mut Warnings::new()).unwrap();
        let (observer, files) = stopping_at(2);
        // A slow reader asks a second time before its end; a fast one is done before.
        let read = read_image(&path, files.reading(ReadOptions::default()), &mut Warnings::new());
        let asked = observer.asked.load(Ordering::Relaxed);
        assert_eq!(matches!(read, Err(IoError::Stopped(_))), asked == 2, "{name}: {asked} questions");
        assert!(name != "a.nii.gz" || asked == 2, "{name}: 23 MB take longer than 20 ms to expand");
    }
}

#[test]
fn writers_of_every_format_stop_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let empty = |what: &str| {
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{what}: {left:?}");
    };
    let name = |extension: &str| folder.path().join(format!("a.{extension}"));
    for extension in pictures_that_are_written().into_iter().chain(["nii.gz", "mhd"]) {
        assert_stopped(extension, |files| {
            write_image(files.target(name(extension)), &picture(300), &mut Warnings::new())
        });
        empty(extension);
    }
    let flow = Flow::zeros(Grid::image(300, 300).unwrap());
    for extension in ["flo", "png", "pfm", "npy", "nii.gz", "mha"] {
        assert_stopped(extension, |files| write_flow(files.target(name(extension)), &flow));
        empty(extension);
    }
    let sequence = Sequence::new(vec![volume(40); 3], None).unwrap();
    assert_stopped("sequence", |files| write_sequence(files.target(name("nrrd")), &sequence));
    assert_stopped("disparity", |files| write_disparity(files.target(name("pfm")), &picture(300)));
    assert_stopped("labels", |files| {
        write_labels(files.target(name("nii.gz")), &volume(40).map(|&v| v as i32))
    });
    assert_stopped("text", |files| write_text(files.target(name("json")), "{}"));
    empty("others");
}

#[test]
fn writers_of_tables_meshes_and_videos_stop_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let name = |extension: &str| folder.path().join(format!("a.{extension}"));
    let (mesh, values) = (surface(60), vec![1u32; 7200]);
    let (rgb, certainty) = (vec![[9, 9, 9]; 7200], vec![1.0; 7200]);
    let painted = PaintedMesh { mesh: &mesh, rgb: &rgb, certainty: &certainty, segment: &values };
    for extension in ["ply", "glb"] {
        assert_stopped(extension, |files| write_painted_mesh(files.target(name(extension)), &painted));
    }
    assert_stopped("seg", |files| write_face_labels(files.target(name("seg")), &values));
    let (columns, rows) = (["a".to_owned()], vec![&[1.0f32][..]; 5000]);
    for extension in ["csv", "npy"] {
        let matrix = Matrix { columns: &columns, rows: &rows };
        assert_stopped(extension, |files| write_matrix(files.target(name(extension)), &matrix));
    }
    let rate = FrameRate::from_interval_ms(None);
    let shape = VideoShape { width: 64, height: 64, colour: VideoColour::Full, rate };
    for extension in ["y4m", "gif"] {
        if extension == "gif" && !cfg!(feature = "gif") {
            continue;
        }
        assert_stopped(extension, |files| {
            let mut video = VideoWriter::create(files.target(name(extension)), shape)?;
            (0..50).try_for_each(|_| video.push(&[7; 3 * 64 * 64]))?;
            video.finish()
        });
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_stop_leaves_the_earlier_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    write_text(&path, "earlier").unwrap();
    assert_stopped("text", |files| write_text(files.target(&path), "later"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "earlier");
}

#[test]
fn what_is_not_whole_is_in_the_list_of_its_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let count = || std::fs::read_dir(folder.path()).unwrap().count();
    let [own, other] = [Files::default(), Files::default()];
    let begun =
        |files: &Files| NpyWriter::<f32>::create(files.target(folder.path().join("a.npy")), 3, 2).unwrap();
    let (mine, theirs) = (begun(&own), begun(&other));
    assert_eq!(count(), 2);
    own.pending().remove_all();
    assert_eq!(count(), 1, "the other session's file stays");
    drop(theirs);
    assert_eq!(count(), 0);
    // Whoever ends a file of a list whose program ends waits for ever.
    std::mem::forget(mine);
}

#[test]
#[cfg_attr(not(feature = "gif"), ignore = "needs the feature gif")]
fn two_sessions_do_not_share_a_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.y4m");
    let rate = FrameRate::from_interval_ms(None);
    let shape = VideoShape { width: 64, height: 64, colour: VideoColour::Grey, rate };
    let mut video = VideoWriter::create(&path, shape).unwrap();
    (0..4).for_each(|_| video.push(&[7; 64 * 64]).unwrap());
    video.finish().unwrap();
    let options = ReadOptions { max_decode_bytes: Some(150_000), ..ReadOptions::default() };
    let read = |files: &Files| read_sequence(&path, files.reading(options), &mut Warnings::new());
    let [own, other] = [Files::default(), Files::default()];
    assert!(read(&own).is_ok() && read(&own).is_ok(), "what was read is given back");
    let image = folder.path().join("a.npy");
    write_image(&image, &picture(150), &mut Warnings::new()).unwrap();
    let held = |files: &Files| {
        // A stream of an animation holds its canvas as long as it lives.
        let path = folder.path().join("a.gif");
        let mut video = VideoWriter::create(&path, VideoShape { width: 150, height: 150, ..shape }).unwrap();
        video.push(&[7; 150 * 150]).unwrap();
        video.finish().unwrap();
        FrameStream::open(&path, files.reading(options), &mut Warnings::new()).unwrap()
    };
    let stream = held(&own);
    assert!(matches!(read(&own), Err(IoError::Memory { .. })), "the stream holds 90,000 bytes");
    assert!(read(&other).is_ok());
    drop(stream);
    assert!(read(&own).is_ok());
}
