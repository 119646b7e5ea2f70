//! The promise of the readers of tables and of transforms, which are no file formats of images: an answer or an error for any
//! bytes, in bounded time and memory.
//!
//! `VELOXEL_FUZZ_FORMAT=a.mtx` fuzzes the reader of that sample; without it the first byte of an input chooses one.
//! `VELOXEL_FUZZ_SEEDS=FOLDER` writes the samples, in a folder for each reader, and ends.
#![no_main]

#[path = "../../crates/io/tests/counting/mod.rs"]
mod counting;

use libfuzzer_sys::fuzz_target;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use veloxel_core::{Dimension, GraphKind, Warnings};
use veloxel_io::{
    ContourReading, PointFile, Strictness, read_calibration, read_contours, read_face_labels, read_graph,
    read_transform,
};

/// Memory that a reader may take for an input of some kilobytes.
const MOST_BYTES: usize = 96 << 20;

/// A reader, by the name of a small text in its format.
struct Sample {
    name: &'static str,
    text: &'static str,
    read: fn(&Path),
}

fn graph(path: &Path) {
    for kind in [GraphKind::Directed, GraphKind::Undirected] {
        if let Ok(list) = read_graph(path, kind, Strictness::Lenient, &mut Warnings::new()) {
            let nodes = list.nodes;
            assert!(list.arcs.iter().all(|arc| (arc.from.max(arc.to) as usize) < nodes && arc.weight >= 0.0));
        }
    }
}

fn points(path: &Path) {
    for dimension in [Dimension::Two, Dimension::Three] {
        if let Ok(file) = PointFile::read(path, dimension, Strictness::Lenient) {
            let points = file.points();
            file.write(path.with_extension("written.csv"), &points).expect("points that were read should be writable");
        }
    }
}

fn contours(path: &Path) {
    let _ = read_contours(path, None, &ContourReading::default(), &mut Warnings::new());
}

fn labels(path: &Path) {
    let _ = read_face_labels(path, Strictness::Lenient);
}

fn calibration(path: &Path) {
    let _ = read_calibration(&[path.to_owned()], Strictness::Lenient, &mut Warnings::new());
}

fn transform(path: &Path) {
    let _ = read_transform(path, Strictness::Lenient, &mut Warnings::new());
}

static SAMPLES: [Sample; 16] = [
    Sample { name: "a.mtx", text: "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 2.5\n3 2 0.25\n", read: graph },
    Sample { name: "graph.txt", text: "# c\n0 1 2.5\n1 2 0.25\n", read: graph },
    Sample { name: "graph.csv", text: "from;to;weight\n0;1;2,5\n1;2;0,25\n", read: graph },
    Sample { name: "points.csv", text: "id,x,y,z\n7,1,2.5,3\n8,4,nan,6\n", read: points },
    Sample { name: "points.txt", text: "point\n2\n1 2.5 3\n4 0.25 6\n", read: points },
    Sample { name: "points.fcsv", text: "# Markups fiducial file version = 4.11\n# CoordinateSystem = RAS\n# columns = id,x,y,z,label\nA,1,2.5,3,F\n", read: points },
    Sample { name: "points.mrk.json", text: "{\"markups\": [{\"coordinateSystem\": \"RAS\", \"controlPoints\": [{\"position\": [1, 2.5, 3]}, {\"position\": null}]}]}", read: points },
    Sample { name: "contours.csv", text: "structure,frame,slice,x,y\nendo,0,0,0.5,0\nendo,0,0,2.25,0\nendo,0,0,0,2\n", read: contours },
    Sample { name: "endo_frame0_slice0.txt", text: "0.5 0\n2.25 0\n0 2\n", read: contours },
    Sample { name: "contours.json", text: "{\"format\": \"veloxel-contours\", \"version\": 1, \"unit\": \"px\", \"contours\": [{\"structure\": \"endo\", \"frame\": 0, \"slice\": 0, \"points\": [[0.5, 0], [2.25, 0], [0, 2]]}]}", read: contours },
    Sample { name: "a.seg", text: "0\n1\n2\n", read: labels },
    Sample { name: "rig.json", text: "{\"M1\": [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1], \"D1\": [0, 0, 0, 0], \"M2\": [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1], \"D2\": [0, 0, 0, 0], \"R\": [1, 0, 0, 0, 1, 0, 0, 0, 1], \"T\": [-0.125, 0, 0]}", read: calibration },
    Sample { name: "rig.yaml", text: "%YAML:1.0\n---\nM1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1]\nD1: [0, 0, 0, 0]\nM2: [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1]\nD2: [0, 0, 0, 0]\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.125, 0, 0]\n", read: calibration },
    Sample { name: "a.tfm", text: "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 2.25 0.5 0\nFixedParameters: 0 0 0\n", read: transform },
    Sample { name: "elastix.txt", text: "(Transform \"EulerTransform\")\n(NumberOfParameters 6)\n(TransformParameters 0.1 0 0 2.25 0.5 0)\n(FixedImageDimension 3)\n(MovingImageDimension 3)\n(CenterOfRotationPoint 1 2 3)\n(UseDirectionCosines \"true\")\n", read: transform },
    Sample { name: "a.mat", text: "1 0 0 2.25\n0 1 0 0.5\n0 0 1 0\n0 0 0 1\n", read: transform },
];

fn chosen() -> Option<&'static Sample> {
    static CHOSEN: OnceLock<Option<&Sample>> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("VELOXEL_FUZZ_FORMAT").ok()?;
        let found = SAMPLES.iter().find(|sample| sample.name == name);
        Some(found.unwrap_or_else(|| panic!("VELOXEL_FUZZ_FORMAT: no sample is called {name}")))
    })
}

/// A folder in memory where the system has one: a reader opens a path.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shared = PathBuf::from("/dev/shm");
        let base = if shared.is_dir() { shared } else { std::env::temp_dir() };
        let own = base.join(format!("veloxel-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&own).expect("a folder should be possible");
        own
    })
}

fuzz_target!(
    init: {
        if let Some(target) = std::env::var_os("VELOXEL_FUZZ_SEEDS") {
            for sample in &SAMPLES {
                let own = PathBuf::from(&target).join(sample.name);
                std::fs::create_dir_all(&own).expect("a folder should be possible");
                std::fs::write(own.join(sample.name), sample.text).expect("seeds should be writable");
            }
            std::process::exit(0);
        }
    },
    |bytes: &[u8]| {
        let (sample, bytes) = match (chosen(), bytes) {
            (Some(sample), _) => (sample, bytes),
            (None, [first, rest @ ..]) => (&SAMPLES[usize::from(*first) % SAMPLES.len()], rest),
            (None, []) => return,
        };
        let path = folder().join(sample.name);
        std::fs::write(&path, bytes).expect("an input should be writable");
        let before = counting::begin();
        (sample.read)(&path);
        let peak = counting::peak_since(before);
        assert!(peak <= MOST_BYTES, "{peak} bytes at the peak");
    }
);
