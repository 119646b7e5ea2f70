use super::*;
use crate::read::reading::Strictness;
use veloxel_core::Dimension;

fn read_as(name: &str, bytes: &[u8]) -> Result<LinearTransform> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_transform(&path, Strictness::Strict, &mut Warnings::new())
}

fn itk(class: &str, parameters: &str, fixed: &str) -> String {
    format!(
        "#Insight Transform File V1.0\n#Transform 0\nTransform: {class}\nParameters: {parameters}\nFixedParameters: {fixed}\n"
    )
}

fn close(transform: &LinearTransform, point: [f64; 3], expected: [f64; 3]) {
    let found = transform.apply(point);
    assert!((0..3).all(|a| (found[a] - expected[a]).abs() < 1e-9), "{found:?} in place of {expected:?}");
}

fn examples() -> [LinearTransform; 3] {
    let (s, c) = 0.3f64.sin_cos();
    let shear = [[1.1, 0.2, -0.1], [-0.15, 0.9, 0.05], [0.02, -0.3, 1.2]];
    [
        LinearTransform::new(Dimension::Three, shear, [10.25, -200.1, 1.0 / 3.0]).unwrap(),
        LinearTransform::new(Dimension::Three, [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], [1.0; 3])
            .unwrap(),
        LinearTransform::new(Dimension::Two, shear, [0.1, -7.0, 0.0]).unwrap(),
    ]
}

#[test]
fn what_is_written_is_read_again() {
    for transform in examples() {
        for name in ["a.tfm", "a.mat", "a.txt"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            write_transform(&path, &transform).unwrap();
            let back = read_transform(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
            assert_eq!(back, transform, "{name}");
            let text = std::fs::read_to_string(&path).unwrap();
            let rigid = text.contains("rigid");
            assert_eq!(rigid, transform.is_rigid() && name != "a.mat", "{text}");
        }
    }
    assert!(check_transform_output(Path::new("a.nii")).unwrap_err().to_string().contains(".tfm .mat .txt"));
}

#[test]
fn classes_of_itk_map_points_as_it_does() {
    let half = std::f64::consts::FRAC_PI_2;
    let versor = 0.5f64.sqrt();
    for (class, parameters, fixed, expected) in [
        ("TranslationTransform_double_3_3", "1 2 3", "", [2.0, 2.0, 3.0]),
        ("AffineTransform_double_3_3", "2 0 0 0 1 0 0 0 1 1 2 3", "10 0 0", [-7.0, 2.0, 3.0]),
        ("MatrixOffsetTransformBase_double_3_3", "2 0 0 0 1 0 0 0 1 1 2 3", "10 0 0", [-7.0, 2.0, 3.0]),
        ("VersorRigid3DTransform_double_3_3", &format!("0 0 {versor} 1 2 3"), "0 0 0", [1.0, 3.0, 3.0]),
        ("Similarity3DTransform_double_3_3", &format!("0 0 {versor} 1 2 3 2"), "0 0 0", [1.0, 4.0, 3.0]),
        (
            "QuaternionRigidTransform_double_3_3",
            &format!("0 0 {versor} {versor} 1 2 3"),
            "0 0 0",
            [1.0, 3.0, 3.0],
        ),
        // About x, then y, then z: ZXY leads (1, 0, 0) to −z by y; ZYX the same here.
        ("Euler3DTransform_double_3_3", &format!("0 {half} 0 1 2 3"), "0 0 0 0", [1.0, 2.0, 2.0]),
        // Z·X·Y: y takes x to −z, then x takes −z to y.
        ("Euler3DTransform_double_3_3", &format!("{half} {half} 0 0 0 0"), "0 0 0", [0.0, 1.0, 0.0]),
        // Z·Y·X: x leaves x, then y takes it to −z.
        ("Euler3DTransform_double_3_3", &format!("{half} {half} 0 0 0 0"), "0 0 0 1", [0.0, 0.0, -1.0]),
        ("Euler2DTransform_double_2_2", &format!("{half} 5 6"), "0 0", [5.0, 7.0, 0.0]),
        ("Similarity2DTransform_double_2_2", &format!("3 {half} 5 6"), "0 0", [5.0, 9.0, 0.0]),
    ] {
        let transform = read_as("a.tfm", itk(class, parameters, fixed).as_bytes()).unwrap();
        close(&transform, [1.0, 0.0, 0.0], expected);
    }
}

#[test]
fn a_composite_applies_its_last_transform_first() {
    let text = "#Insight Transform File V1.0\nTransform: CompositeTransform_double_3_3\n\
        Transform: AffineTransform_double_3_3\nParameters: 2 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 0 0 0\n\
        Transform: TranslationTransform_double_3_3\nParameters: 10 0 0\nFixedParameters:\n";
    close(&read_as("a.tfm", text.as_bytes()).unwrap(), [1.0, 0.0, 0.0], [22.0, 0.0, 0.0]);
    let alone = text.replace("Transform: CompositeTransform_double_3_3\n", "");
    assert!(read_as("a.tfm", alone.as_bytes()).unwrap_err().to_string().contains("no composite"));
}

/// A matrix of MATLAB's level 4.
fn level_4(name: &str, numbers: &[f64]) -> Vec<u8> {
    let head = [0, numbers.len() as i32, 1, 0, name.len() as i32 + 1];
    let mut bytes: Vec<u8> = head.iter().flat_map(|v| v.to_le_bytes()).collect();
    bytes.extend(name.bytes().chain([0]));
    bytes.extend(numbers.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

#[test]
fn binary_matrices_of_ants_are_read() {
    let numbers = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0];
    let mut bytes = level_4("AffineTransform_double_3_3", &numbers);
    bytes.extend(level_4("fixed", &[10.0, 0.0, 0.0]));
    close(&read_as("a.mat", &bytes).unwrap(), [1.0, 0.0, 0.0], [-7.0, 2.0, 3.0]);
    for length in 1..bytes.len() {
        // The first matrix alone is a transform about the origin.
        let whole = level_4("AffineTransform_double_3_3", &numbers).len();
        assert_eq!(read_as("a.mat", &bytes[..length]).is_ok(), length == whole, "{length}");
    }
}

#[test]
fn plain_matrices_are_in_ras_or_say_their_axes() {
    let rows = "1 0 0 10\n0 1 0 20\n0 0 1 30\n0 0 0 1\n";
    close(&read_as("a.mat", rows.as_bytes()).unwrap(), [0.0; 3], [-10.0, -20.0, 30.0]);
    close(&read_as("a.txt", format!("# LPS\n{rows}").as_bytes()).unwrap(), [0.0; 3], [10.0, 20.0, 30.0]);
    close(&read_as("a.txt", format!("# RAS\n{rows}").as_bytes()).unwrap(), [0.0; 3], [-10.0, -20.0, 30.0]);
    let unstated = read_as("a.txt", rows.as_bytes()).unwrap_err().to_string();
    assert!(unstated.contains("# RAS"), "{unstated}");
}

#[test]
fn what_is_no_transform_is_refused_by_name() {
    let flirt = "1.0  0.0  0.0  10.0  \n0.0  1.0  0.0  0.0  \n0.0  0.0  1.0  0.0  \n0.0  0.0  0.0  1.0  \n";
    let mirror = "-1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
    let flat = "1 0 0 0\n0 1 0 0\n0 0 0 0\n0 0 0 1\n";
    let bspline = itk("BSplineTransform_double_3_3", "0 0", "1 2");
    let (short, scaled) = (itk("AffineTransform_double_3_3", "1 2", "0 0 0"), "1 0\n0 1\n");
    for (name, bytes, says) in [
        (
            "a.h5",
            &b"\x89HDF\r\n\x1a\n"[..],
            "sitk.WriteTransform(sitk.ReadTransform(\"in.h5\"), \"out.tfm\")",
        ),
        ("a.hdf5", &b"\x89HDF\r\n\x1a\n"[..], "sitk.WriteTransform"),
        ("a.mat", flirt.as_bytes(), "FLIRT"),
        ("a.mat", mirror.as_bytes(), "mirrors"),
        ("a.mat", flat.as_bytes(), "singular"),
        ("a.mat", scaled.as_bytes(), "4 lines of 4"),
        ("a.mat", b"MATLAB 5.0 MAT-file", "MATLAB 5"),
        ("a.txt", b"(Transform \"BSplineTransform\")", "elastix' BSplineTransform"),
        ("a.tfm", bspline.as_bytes(), "BSplineTransform"),
        ("a.tfm", short.as_bytes(), "12 numbers"),
        ("a.tfm", b"", "empty"),
        ("a.png", b"x", ".tfm .mat .txt"),
    ] {
        let refused = read_as(name, bytes).unwrap_err().to_string();
        assert!(refused.contains(says), "{name}: {refused}");
    }
}

#[test]
fn hdf5_is_not_written_and_the_way_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.h5", "a.HDF5"] {
        let path = folder.path().join(name);
        let refused = write_transform(&path, &examples()[0]).unwrap_err().to_string();
        assert!(refused.contains("HDF5") && refused.contains("sitk.ReadTransform(\"out.tfm\")"), "{refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
        assert!(!path.exists() && is_named_transform(&path));
    }
}
