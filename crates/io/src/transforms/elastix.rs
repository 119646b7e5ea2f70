//! elastix' `TransformParameters.N.txt`: translations, Euler transforms, similarities and affine transforms.
//!
//! *Specification*: the manual of elastix 5, section 2.6 and appendix A; the classes are those of ITK that they derive from, with
//! `CenterOfRotationPoint` as centre. *Space*: LPS mm, points of the fixed image to those of the moving one.
//! *Limits*: B-splines and other fields, chains of files, binary parameters and registrations without direction cosines are
//! refused by name.

use super::TransformFormat;
use super::classes::Stored;
use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::LinearTransform;

pub(super) const FORMAT: TransformFormat = TransformFormat {
    extensions: &["txt"],
    is: |_, bytes| {
        let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
        let is_text = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"//");
        lines.find(is_text).is_some_and(|line| {
            line.starts_with(b"(") && bytes.windows(KEY.len()).any(|window| window == KEY)
        })
    },
    read,
    write: None,
};

/// What every file of a transform has.
const KEY: &[u8] = b"(Transform ";
/// elastix' names, those of the classes in two and in three dimensions, and how many parameters they have.
const CLASSES: [(&str, [&str; 2]); 4] = [
    ("TranslationTransform", ["TranslationTransform"; 2]),
    ("EulerTransform", ["Euler2DTransform", "Euler3DTransform"]),
    ("SimilarityTransform", ["Similarity2DTransform", "Similarity3DTransform"]),
    ("AffineTransform", ["AffineTransform"; 2]),
];

fn read(bytes: &[u8], context: &mut Context) -> Result<LinearTransform> {
    let text = std::str::from_utf8(bytes).map_err(|error| context.malformed("transform", "a text", error))?;
    let entries = entries(text, context)?;
    let words = |key: &str| entries.iter().find(|(own, _)| *own == key).map(|(_, words)| words.as_slice());
    let word = |key: &str| words(key).and_then(<[&str]>::first).copied();
    let numbers = |key: &str| -> Result<Vec<f64>> {
        let number = |word: &&str| -> Result<f64> {
            word.parse().map_err(|_| context.malformed(key, "numbers", word))
        };
        words(key).unwrap_or_default().iter().map(number).collect()
    };
    let name = word("Transform").unwrap_or_default();
    let Some((_, classes)) = CLASSES.iter().find(|(own, _)| *own == name) else {
        let hint = "make a field of it: `transformix -tp TransformParameters.0.txt -def all -out FOLDER`";
        return Err(context.unsupported(format!("elastix' {name}"), hint));
    };
    let first = word("InitialTransformParameterFileName")
        .or_else(|| word("InitialTransformParametersFileName"))
        .unwrap_or(NO_FIRST);
    if first != NO_FIRST {
        let hint = "compose both: each is read by itself once its entry says NoInitialTransform, and the other one comes first";
        return Err(context.unsupported(format!("a transform of elastix that follows that of {first}"), hint));
    }
    if word("UseBinaryFormatForTransformationParameters") == Some("true") {
        let hint = "register again with (UseBinaryFormatForTransformationParameters \"false\")";
        return Err(context.unsupported("a transform of elastix whose parameters lie in another file", hint));
    }
    if word("UseDirectionCosines") == Some("false") {
        let hint =
            "it holds in a space without directions: register again with (UseDirectionCosines \"true\")";
        return Err(context.unsupported("a transform of elastix without direction cosines", hint));
    }
    let dimension = ["FixedImageDimension", "MovingImageDimension"].map(word);
    let d = match dimension {
        [Some("2"), Some("2") | None] => 2,
        [Some("3"), Some("3") | None] => 3,
        [own, _] => {
            return Err(context.malformed(
                "FixedImageDimension",
                "2 or 3 for both images",
                own.unwrap_or("none"),
            ));
        }
    };
    let mut fixed = numbers("CenterOfRotationPoint")?;
    let needs_centre = name != "TranslationTransform";
    context.require(
        !needs_centre || fixed.len() == d,
        "CenterOfRotationPoint",
        format!("{d} numbers"),
        fixed.len(),
    )?;
    if name == "EulerTransform" && d == 3 {
        fixed.push(f64::from(u8::from(word("ComputeZYX") == Some("true"))));
    }
    let name = format!("{}_double_{d}_{d}", classes[d - 2]);
    Stored { name, parameters: numbers("TransformParameters")?, fixed }.transform(context)
}

/// The name of no file.
const NO_FIRST: &str = "NoInitialTransform";

/// `(Key word "word" …)`, an entry a line.
fn entries<'a>(text: &'a str, context: &Context) -> Result<Vec<(&'a str, Vec<&'a str>)>> {
    let lines = text.lines().enumerate().map(|(nth, line)| (nth + 1, line.trim()));
    let entries = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
    entries
        .map(|(number, line)| -> Result<(&'a str, Vec<&'a str>)> {
            let inside =
                line.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
            let entry = inside.and_then(|inside| inside.trim().split_once([' ', '\t']));
            let (key, rest) =
                entry.ok_or_else(|| context.malformed(format!("line {number}"), "(Key values)", line))?;
            // Words between marks may hold blanks, and parentheses are not expected in them.
            let words: Vec<&str> = if rest.contains('"') {
                rest.split('"').skip(1).step_by(2).collect()
            } else {
                rest.split_whitespace().collect()
            };
            Ok((key, words))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::read::reading::Strictness;
    use crate::transforms::read_transform;
    use veloxel_core::{LinearTransform, Warnings};

    fn parameters(name: &str, values: &str, centre: &str, more: &str) -> String {
        let d = centre.split_whitespace().count();
        format!(
            "// elastix\n(Transform \"{name}\")\n(NumberOfParameters 1)\n(TransformParameters {values})\n\
             (InitialTransformParameterFileName \"NoInitialTransform\")\n(HowToCombineTransforms \"Compose\")\n\
             (FixedImageDimension {d})\n(MovingImageDimension {d})\n(CenterOfRotationPoint {centre})\n{more}\n"
        )
    }

    fn read_text(text: &str) -> Result<LinearTransform, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("TransformParameters.0.txt");
        std::fs::write(&path, text).unwrap();
        read_transform(&path, Strictness::Strict, &mut Warnings::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn linear_transforms_of_elastix_map_points_about_their_centre() {
        let half = std::f64::consts::FRAC_PI_2;
        let versor = 0.5f64.sqrt();
        for (name, values, centre, more, expected) in [
            ("TranslationTransform", "1 2 3".to_owned(), "0 0 0", "", [2.0, 2.0, 3.0]),
            ("EulerTransform", format!("0 0 {half} 1 2 3"), "10 0 0", "", [11.0, -7.0, 3.0]),
            (
                "EulerTransform",
                format!("{half} {half} 0 0 0 0"),
                "0 0 0",
                "(ComputeZYX \"false\")",
                [0.0, 1.0, 0.0],
            ),
            (
                "EulerTransform",
                format!("{half} {half} 0 0 0 0"),
                "0 0 0",
                "(ComputeZYX \"true\")",
                [0.0, 0.0, -1.0],
            ),
            ("EulerTransform", format!("{half} 5 6"), "0 0", "", [5.0, 7.0, 0.0]),
            ("SimilarityTransform", format!("0 0 {versor} 1 2 3 2"), "0 0 0", "", [1.0, 4.0, 3.0]),
            ("SimilarityTransform", format!("3 {half} 5 6"), "0 0", "", [5.0, 9.0, 0.0]),
            ("AffineTransform", "2 0 0 0 1 0 0 0 1 1 2 3".to_owned(), "10 0 0", "", [-7.0, 2.0, 3.0]),
        ] {
            let found = read_text(&parameters(name, &values, centre, more)).unwrap().apply([1.0, 0.0, 0.0]);
            assert!((0..3).all(|a| (found[a] - expected[a]).abs() < 1e-9), "{name}: {found:?} {expected:?}");
        }
    }

    #[test]
    fn what_is_no_single_linear_transform_is_refused_by_name() {
        let affine = parameters("AffineTransform", "1 0 0 1 0 0", "0 0", "");
        let with = |from: &str, to: &str| affine.replace(from, to);
        for (text, says) in [
            (with("AffineTransform", "RecursiveBSplineTransform"), "RecursiveBSplineTransform"),
            (
                with("\"NoInitialTransform\"", "\"TransformParameters.0.txt\""),
                "follows that of TransformParameters.0.txt",
            ),
            (format!("{affine}(UseDirectionCosines \"false\")\n"), "direction cosines"),
            (format!("{affine}(UseBinaryFormatForTransformationParameters \"true\")\n"), "another file"),
            (with("1 0 0 1 0 0", "1 0 0 1"), "6 numbers"),
            (with("1 0 0 1 0 0", "1 0 0 x 0 0"), "TransformParameters"),
            (with("(CenterOfRotationPoint 0 0)", ""), "CenterOfRotationPoint"),
            (with("(FixedImageDimension 2)", ""), "FixedImageDimension"),
            (with("(FixedImageDimension 2)", "FixedImageDimension 2"), "(Key values)"),
        ] {
            let refused = read_text(&text).unwrap_err();
            assert!(refused.contains(says), "{says}: {refused}");
        }
    }
}
