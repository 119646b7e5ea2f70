//! Elements of an OBJ file that are no polygons: they are counted, and told by their names.

use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::polygons::{Polygons, without_faces};
use veloxel_core::WarningKind;

/// Elements by the words that their lines begin with, of which the last ones belong to earlier versions of the format.
const ELEMENTS: [(&str, &str); 11] = [
    ("p", "points"),
    ("l", "lines"),
    ("curv", "free-form curves"),
    ("surf", "free-form surfaces"),
    ("call", "calls of other files"),
    ("csh", "commands of a shell"),
    ("bzp", "Bezier patches"),
    ("bsp", "B-spline patches"),
    ("cdp", "Cardinal patches"),
    ("cdc", "Cardinal curves"),
    ("curv2", "trimming curves"),
];

/// Words of free-form geometry that draw nothing by themselves: they are named where a file holds nothing that draws.
const DECLARATIONS: [(&str, &str); 3] = [
    ("cstype", "kinds of free-form curves or surfaces"),
    ("vp", "points of free-form curves or surfaces"),
    ("parm", "knots of free-form curves or surfaces"),
];

const TO_POLYGONS: &str = "turn them into polygons where they were made (Rhino: Mesh, Maya: NURBS to Polygons, Blender: Convert \
     to Mesh) and save the mesh: only polygons make one";
/// How many of each there are.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    elements: [usize; ELEMENTS.len()],
    declarations: [usize; DECLARATIONS.len()],
}

impl LeftOut {
    /// Counts a line by its first word.
    pub fn count(&mut self, word: &[u8]) {
        count_in(&ELEMENTS, &mut self.elements, word);
        count_in(&DECLARATIONS, &mut self.declarations, word);
    }

    /// Says what was left out beside polygons.
    ///
    /// # Errors
    /// [`IoError::Unsupported`] by what there is where there are no polygons; [`IoError::Malformed`] where there is nothing.
    pub fn tell(&self, polygons: &Polygons, context: &mut Context) -> Result<()> {
        let elements = named(&ELEMENTS, &self.elements);
        if polygons.counts.is_empty() {
            return Err(self.refusal(elements, polygons.points.len(), context));
        }
        if !elements.is_empty() {
            context.note(WarningKind::Note, format!("{elements} were left out: only polygons make a mesh"));
        }
        Ok(())
    }

    /// What a file without polygons holds, with so many points.
    fn refusal(&self, elements: String, points: usize, context: &Context) -> IoError {
        let declarations = named(&DECLARATIONS, &self.declarations);
        let what = if elements.is_empty() { declarations } else { elements };
        match (what.is_empty(), points) {
            (false, _) => context.unsupported(format!("a file of {what} and no polygons"), TO_POLYGONS),
            (true, 0) => context.malformed("the OBJ file", "polygons (`f`)", "none, and no points"),
            (true, _) => without_faces(points, context),
        }
    }
}

fn count_in(kinds: &[(&str, &str)], counts: &mut [usize], word: &[u8]) {
    let kind = kinds.iter().position(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    if let Some(kind) = kind {
        counts[kind] += 1;
    }
}

fn named(kinds: &[(&str, &str)], counts: &[usize]) -> String {
    let found = counts.iter().zip(kinds).filter(|(count, _)| **count > 0);
    let found: Vec<_> = found.map(|(count, (word, what))| format!("{count} {what} (`{word}`)")).collect();
    found.join(", ")
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, read_bytes};
    use veloxel_core::Warnings;

    const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const PATCH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvp 0.1 0.2\ncstype rat bspline\ndeg 1 1\n\
        surf 0 1 0 1 1 2 3 4\nparm u 0 0 1 1\nparm v 0 0 1 1\nend\nCURV 0 1 1 2\n";

    fn read(text: &str) -> (Result<(), String>, String) {
        let mut warnings = Warnings::new();
        let found = read_bytes("a.obj".as_ref(), text.as_bytes(), Strictness::Lenient, &mut warnings);
        let said: Vec<_> = warnings.iter().map(|warning| warning.message.clone()).collect();
        (found.map(|_| ()).map_err(|error| error.to_string()), said.join("\n"))
    }

    #[test]
    fn free_form_elements_beside_polygons_are_told() {
        let (found, said) = read(&format!("{PATCH}{TRIANGLE}l 1 2 3\np 1\n"));
        assert_eq!(found, Ok(()));
        for name in [
            "1 points (`p`)",
            "1 lines (`l`)",
            "1 free-form curves (`curv`)",
            "1 free-form surfaces (`surf`)",
        ] {
            assert!(said.contains(name), "{said}");
        }
        assert_eq!(read(TRIANGLE), (Ok(()), String::new()));
    }

    #[test]
    fn free_form_elements_alone_are_refused_by_name() {
        let said = read(PATCH).0.unwrap_err();
        assert!(said.contains("free-form surfaces (`surf`)") && said.contains("polygons"), "{said}");
        let lines = read("v 0 0 0\nv 1 0 0\nl 1 2\n").0.unwrap_err();
        assert!(lines.contains("1 lines (`l`)"), "{lines}");
    }

    #[test]
    fn declarations_of_free_form_geometry_alone_are_named_and_so_are_points() {
        let said = read("cstype bspline\ndeg 3\nvp 0.1 0.2\nvp 0.3 0.2\nend\n").0.unwrap_err();
        for name in [
            "1 kinds of free-form curves or surfaces (`cstype`)",
            "2 points of free-form curves or surfaces (`vp`)",
        ] {
            assert!(said.contains(name) && said.contains("polygons"), "{said}");
        }
        let curves = read("vp 0.1 0.2\ncstype bezier\ndeg 1\ncurv2 1 1\nend\n").0.unwrap_err();
        assert!(curves.contains("a file of 1 trimming curves (`curv2`) and no polygons"), "{curves}");
        let cloud = read("v 0 0 0\nv 1 0 0\nvn 0 0 1\n").0.unwrap_err();
        assert!(cloud.contains("2 points and no faces") && cloud.contains("make a surface"), "{cloud}");
        let nothing = read("# made by hand\ng a\n").0.unwrap_err();
        assert!(nothing.contains("polygons (`f`)"), "{nothing}");
    }
}
