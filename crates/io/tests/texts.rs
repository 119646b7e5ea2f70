//! One matrix of faults of texts over all text formats: each cell gives what the plain text gives, or is refused by name.

// A failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;
use std::path::Path;
use veloxel_core::{Dimension, GraphKind, Warnings};
use veloxel_io::*;

/// A text format: a small text in it, and what it holds, as a text to compare.
struct TextFormat {
    name: &'static str,
    text: &'static str,
    read: fn(&Path) -> Result<String, IoError>,
    /// Whether fractions of the text may have a comma instead.
    takes_commas: bool,
}

fn told<T: Debug>(value: T) -> String {
    format!("{value:?}")
}

fn surface(path: &Path) -> Result<String, IoError> {
    let mesh = read_surface(path, Strictness::Lenient, &mut Warnings::new())?;
    Ok(told((mesh.points().to_vec(), mesh.triangles().to_vec())))
}

fn tetrahedra(path: &Path) -> Result<String, IoError> {
    let mesh = read_mesh(path, Strictness::Lenient, &mut Warnings::new())?;
    Ok(told((mesh.points, mesh.tetrahedra)))
}

fn image(path: &Path) -> Result<String, IoError> {
    let image = read_image(path, Strictness::Lenient, &mut Warnings::new())?;
    Ok(told((image.grid().size(), image.grid().spacing_mm(), image.data().to_vec())))
}

fn graph(path: &Path) -> Result<String, IoError> {
    read_graph(path, GraphKind::Directed, Strictness::Lenient, &mut Warnings::new()).map(told)
}

fn points(path: &Path) -> Result<String, IoError> {
    PointFile::read(path, Dimension::Three, Strictness::Lenient).map(|file| told(file.points()))
}

fn contours(path: &Path) -> Result<String, IoError> {
    let options = ContourReading::default();
    read_contours(path, None, &options, &mut Warnings::new()).map(|file| told(file.contours))
}

fn calibration(path: &Path) -> Result<String, IoError> {
    read_calibration(&[path.to_owned()], Strictness::Lenient, &mut Warnings::new()).map(told)
}

fn transform(path: &Path) -> Result<String, IoError> {
    read_transform(path, Strictness::Lenient, &mut Warnings::new()).map(told)
}

const FORMATS: &[TextFormat] = &[
    TextFormat {
        name: "a.off",
        text: "OFF\n3 1 3\n0 0 0\n1.5 0 0\n0 2.25 0\n3 0 1 2\n",
        read: surface,
        takes_commas: true,
    },
    TextFormat {
        name: "a.obj",
        text: "v 0 0 0\nv 1.5 0 0\nv 0 2.25 0\nf 1 2 3\n",
        read: surface,
        takes_commas: true,
    },
    TextFormat {
        name: "a.stl",
        text: "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1.5 0 0\nvertex 0 2.25 0\nendloop\nendfacet\nendsolid a\n",
        read: surface,
        takes_commas: true,
    },
    TextFormat {
        name: "a.ply",
        text: "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1.5 0 0\n0 2.25 0\n3 0 1 2\n",
        read: surface,
        takes_commas: true,
    },
    TextFormat { name: "a.gltf", text: GLTF, read: surface, takes_commas: false },
    TextFormat {
        name: "a.vtk",
        text: "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0\n1.5 0 0\n0 2.25 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
        read: tetrahedra,
        takes_commas: true,
    },
    TextFormat { name: "a.pgm", text: "P2\n2 2\n255\n1 2\n3 4\n", read: image, takes_commas: false },
    TextFormat { name: "a.ppm", text: "P3\n1 2\n255\n1 2 3\n3 4 5\n", read: image, takes_commas: false },
    TextFormat {
        name: "a.mtx",
        text: "%%MatrixMarket matrix coordinate real general\n3 3 2\n2 1 2.5\n3 2 0.25\n",
        read: graph,
        takes_commas: true,
    },
    TextFormat { name: "a.txt", text: "0 1 2.5\n1 2 0.25\n", read: graph, takes_commas: true },
    TextFormat { name: "a.tsv", text: "0\t1\t2.5\n1\t2\t0.25\n", read: graph, takes_commas: true },
    TextFormat {
        name: "a.csv",
        text: "from;to;weight\n0;1;2.5\n1;2;0.25\n",
        read: graph,
        takes_commas: true,
    },
    TextFormat {
        name: "b.csv",
        text: "from,to,weight\n0,1,2.5\n1,2,0.25\n",
        read: graph,
        takes_commas: false,
    },
    TextFormat { name: "a.csv", text: "x,y,z\n1,2.5,3\n4,0.25,6\n", read: points, takes_commas: false },
    TextFormat { name: "b.csv", text: "id;x;y;z\n7;1;2.5;3\n8;4;0.25;6\n", read: points, takes_commas: true },
    TextFormat { name: "a.txt", text: "1 2.5 3\n4 0.25 6\n", read: points, takes_commas: true },
    TextFormat { name: "b.txt", text: "point\n2\n1 2.5 3\n4 0.25 6\n", read: points, takes_commas: true },
    TextFormat {
        name: "a.fcsv",
        text: "# Markups fiducial file version = 4.11\n# CoordinateSystem = RAS\n# columns = id,x,y,z,label\nA,1,2.5,3,F\nB,4,0.25,6,G\n",
        read: points,
        takes_commas: false,
    },
    TextFormat {
        name: "a.mrk.json",
        text: "{\"markups\": [{\"coordinateSystem\": \"RAS\", \"controlPoints\":\n[{\"position\": [1, 2.5, 3]}]}]}\n",
        read: points,
        takes_commas: false,
    },
    TextFormat {
        name: "a.csv",
        text: "structure,frame,slice,x,y\nendo,0,0,0.5,0\nendo,0,0,2.25,0\nendo,0,0,0,2\n",
        read: contours,
        takes_commas: false,
    },
    TextFormat {
        name: "b.csv",
        text: "structure;frame;slice;x;y\nendo;0;0;0.5;0\nendo;0;0;2.25;0\nendo;0;0;0;2\n",
        read: contours,
        takes_commas: true,
    },
    TextFormat {
        name: "endo_frame0_slice0.txt",
        text: "0.5 0\n2.25 0\n0 2\n",
        read: contours,
        takes_commas: true,
    },
    TextFormat {
        name: "a.json",
        text: "{\"format\": \"veloxel-contours\", \"version\": 1, \"unit\": \"px\", \"contours\":\n[{\"structure\": \"endo\", \"frame\": 0, \"slice\": 0, \"points\": [[0.5, 0], [2.25, 0], [0, 2]]}]}\n",
        read: contours,
        takes_commas: false,
    },
    TextFormat {
        name: "a.seg",
        text: "0\n1\n2\n",
        read: |path| read_face_labels(path, Strictness::Lenient).map(told),
        takes_commas: false,
    },
    TextFormat { name: "b.json", text: CALIBRATION, read: calibration, takes_commas: false },
    #[cfg(feature = "yaml")]
    TextFormat {
        name: "a.yaml",
        text: "M1: [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1]\nD1: [0, 0, 0, 0]\nM2: [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1]\nD2: [0, 0, 0, 0]\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.125, 0, 0]\n",
        read: calibration,
        takes_commas: false,
    },
    TextFormat {
        name: "a.mhd",
        text: "ObjectType = Image\nNDims = 2\nDimSize = 2 2\nElementSpacing = 1.5 0.25\nElementType = MET_UCHAR\nElementDataFile = a.raw\n",
        read: image,
        takes_commas: false,
    },
    TextFormat {
        name: "a.nhdr",
        text: "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 2\nspacings: 1.5 0.25\nencoding: raw\ndata file: a.raw\n",
        read: image,
        takes_commas: false,
    },
    TextFormat {
        name: "a.tfm",
        text: "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 2.25 0.5 0\nFixedParameters: 0 0 0\n",
        read: transform,
        takes_commas: false,
    },
    TextFormat {
        name: "TransformParameters.0.txt",
        text: "(Transform \"TranslationTransform\")\n(NumberOfParameters 3)\n(TransformParameters 2.25 0.5 0)\n(FixedImageDimension 3)\n(MovingImageDimension 3)\n(UseDirectionCosines \"true\")\n",
        read: transform,
        takes_commas: false,
    },
    TextFormat {
        name: "lps.txt",
        text: "# LPS\n1 0 0 2.25\n0 1 0 0.5\n0 0 1 0\n0 0 0 1\n",
        read: transform,
        takes_commas: false,
    },
    TextFormat {
        name: "ras.mat",
        text: "1 0 0 2.25\n0 1 0 0.5\n0 0 1 0\n0 0 0 1\n",
        read: transform,
        takes_commas: false,
    },
];

const GLTF: &str = "{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0}],\n\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],\n\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}],\n\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}],\n\"buffers\": [{\"byteLength\": 36, \"uri\": \"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}\n";
const CALIBRATION: &str = "{\"M1\": [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1], \"D1\": [0, 0, 0, 0],\n\"M2\": [500.5, 0, 10, 0, 500.5, 10, 0, 0, 1], \"D2\": [0, 0, 0, 0],\n\"R\": [1, 0, 0, 0, 1, 0, 0, 0, 1], \"T\": [-0.125, 0, 0]}\n";

/// What a text becomes with a fault; none where the fault cannot be made in it.
type Fault = (&'static str, fn(&str) -> Option<Vec<u8>>);

fn wide(text: &str, is_big: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

/// Faults that no text format may mind.
const HARMLESS: &[Fault] = &[
    ("mark", |text| Some(format!("\u{feff}{text}").into_bytes())),
    ("two marks", |text| Some(format!("\u{feff}\u{feff}{text}").into_bytes())),
    ("UTF-16, little", |text| Some(wide(&format!("\u{feff}{text}"), false))),
    ("UTF-16, big", |text| Some(wide(&format!("\u{feff}{text}"), true))),
    ("UTF-16 without a mark", |text| Some(wide(text, false))),
    ("carriage returns alone", |text| Some(text.replace('\n', "\r").into_bytes())),
    ("both line ends", |text| Some(text.replace('\n', "\r\n").into_bytes())),
    ("trailing blanks", |text| Some(text.replace('\n', " \n").into_bytes())),
    ("no last line end", |text| Some(text.trim_end().as_bytes().to_vec())),
];

/// Faults that give the same, or a refusal that names the file.
const REFUSABLE: &[Fault] = &[
    ("upper case", |text| Some(text.to_uppercase().into_bytes())),
    ("lower case", |text| Some(text.to_lowercase().into_bytes())),
    ("tabs", |text| Some(text.replace(' ', "\t").into_bytes())),
    ("trailing tabs", |text| Some(text.replace('\n', "\t\n").into_bytes())),
    ("a cut mark", |text| Some([b"\xef\xbb", text.as_bytes()].concat())),
    ("a cut number", |text| {
        Some(text.replacen("2.25", "2.2.5", 1).replacen("0.25", "0.2.5", 1).into_bytes())
            .filter(|cut| cut != text.as_bytes())
    }),
    ("thousands", |text| {
        Some(text.replacen("2.25", "2,250", 1).replacen("0.25", "1,250", 1).into_bytes())
            .filter(|cut| cut != text.as_bytes())
    }),
    ("mixed fractions", |text| {
        Some(text.replacen("2.25", "2,25", 1).replacen("0.25", "0,25", 1).into_bytes())
            .filter(|cut| cut != text.as_bytes())
    }),
    ("a record before the first line", |text| Some(format!("@#! 1 2\n{text}").into_bytes())),
    ("a quote without an end", |text| {
        Some(text.replacen("2.25", "\"2.25", 1).replacen("0.25", "\"0.25", 1).into_bytes())
            .filter(|cut| cut != text.as_bytes())
    }),
];

/// What a file gives.
fn read(format: &TextFormat, bytes: &[u8]) -> Result<String, IoError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format.name);
    std::fs::write(folder.path().join("a.raw"), [1, 2, 3, 4]).unwrap();
    std::fs::write(&path, bytes).unwrap();
    (format.read)(&path)
}

#[test]
fn every_fault_in_every_format_is_harmless_or_refused_by_name() {
    let mut wrong = Vec::new();
    for format in FORMATS {
        let what = format!("{} `{}`", format.name, format.text.lines().next().unwrap());
        let plain = read(format, format.text.as_bytes()).unwrap_or_else(|error| panic!("{what}: {error}"));
        for (fault, make) in HARMLESS {
            let Some(bytes) = make(format.text) else { continue };
            match read(format, &bytes) {
                Ok(same) if same == plain => {}
                other => wrong.push(format!("{what}, {fault}: {other:?}")),
            }
        }
        for (fault, make) in REFUSABLE {
            let Some(bytes) = make(format.text) else { continue };
            match read(format, &bytes) {
                Ok(same) if same == plain => {}
                Err(error)
                    if error.to_string().contains(format.name) && !error.to_string().contains('\n') => {}
                other => wrong.push(format!("{what}, {fault}: {other:?}")),
            }
        }
        let commas = format
            .text
            .replace("1.0", "1\u{0}0")
            .replace("3.0", "3\u{0}0")
            .replace('.', ",")
            .replace('\u{0}', ".");
        if format.text.contains(".25") {
            match read(format, commas.as_bytes()) {
                Ok(same) if same == plain => assert!(format.takes_commas, "{what}"),
                Err(_) if !format.takes_commas => {}
                other => wrong.push(format!("{what}, decimal commas: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn quoted_heads_and_cells_are_read() {
    let quoted = |text: &str, separator: char| {
        let lines = text.lines().map(|line| {
            line.split(separator)
                .map(|cell| format!("\"{cell}\""))
                .collect::<Vec<_>>()
                .join(&separator.to_string())
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let tables = FORMATS.iter().filter(|format| format.name.ends_with("csv") && format.name != "a.fcsv");
    for format in tables {
        let separator = if format.text.contains(';') { ';' } else { ',' };
        let plain = read(format, format.text.as_bytes()).unwrap();
        assert_eq!(
            read(format, quoted(format.text, separator).as_bytes()).unwrap(),
            plain,
            "{}",
            format.text
        );
        let said = format!("sep={separator}\n{}", format.text);
        assert_eq!(read(format, said.as_bytes()).unwrap(), plain, "{}", format.text);
    }
}

#[test]
fn what_is_no_number_is_no_position_of_a_point_and_refused_elsewhere() {
    for nan in ["nan", "NaN", "-nan(ind)", "1.#QNAN", "-1.#IND", "nan(snan)", "NAN"] {
        let points = TextFormat { name: "a.csv", text: "", read: points, takes_commas: false };
        assert_eq!(
            read(&points, format!("x,y,z\n{nan},1,2\n1,2,3\n").as_bytes()).unwrap(),
            "[None, Some([1.0, 2.0, 3.0])]"
        );
        for format in
            FORMATS.iter().filter(|format| format.text.contains("2.5") && !format.name.contains("json"))
        {
            let text = format.text.replacen("2.5", nan, 1);
            match read(format, text.as_bytes()) {
                Err(error) => assert!(error.to_string().contains(format.name), "{error}"),
                Ok(read) => assert!(read.contains("None"), "{text}: {read}"),
            }
        }
    }
}
