//! Elements of an OBJ file that are no polygons: they are counted, and told by their names.

use crate::error::Result;
use crate::read::context::Context;
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

/// How many of each there are.
#[derive(Debug, Default)]
pub(super) struct LeftOut([usize; ELEMENTS.len()]);

impl LeftOut {
    /// Counts a line by its first word.
    pub fn count(&mut self, word: &[u8]) {
        let kind = ELEMENTS.iter().position(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
        if let Some(kind) = kind {
            self.0[kind] += 1;
        }
    }

    /// Says what was left out.
    ///
    /// # Errors
    /// [`IoError::Unsupported`](crate::IoError::Unsupported) where there is nothing else.
    pub fn tell(&self, is_all: bool, context: &mut Context) -> Result<()> {
        let kinds = self.0.iter().zip(ELEMENTS).filter(|(count, _)| **count > 0);
        let kinds: Vec<String> =
            kinds.map(|(count, (word, what))| format!("{count} {what} (`{word}`)")).collect();
        if kinds.is_empty() {
            return Ok(());
        }
        let what = kinds.join(", ");
        if is_all {
            let hint = "turn them into polygons in the program that made them: only polygons make a mesh";
            return Err(context.unsupported(format!("a file of {what} and no polygons"), hint));
        }
        context.note(WarningKind::Note, format!("{what} were left out: only polygons make a mesh"));
        Ok(())
    }
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
}
