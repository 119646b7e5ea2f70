//! The lines of an OBJ file: a backslash at the end of a line, with or without blanks behind it, joins the next one to it.

/// The lines of a text, joined ones as one.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

/// A line, without its comment.
pub(super) struct Line<'a> {
    /// The number of its first part, from 1.
    pub number: usize,
    pub text: &'a [u8],
    /// What follows it in the file.
    pub rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a [u8]) -> Self {
        Self { rest: text, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (whole, number) = (self.rest, self.number + 1);
        let mut end = 0;
        loop {
            let part = &whole[end..];
            let length = part.iter().position(|&c| c == b'\n').unwrap_or(part.len());
            self.number += 1;
            let is_joined =
                part[..length].trim_ascii_end().ends_with(b"\\") && !part[..length].contains(&b'#');
            end += length;
            if !is_joined || end >= whole.len() {
                break;
            }
            end += 1;
        }
        self.rest = &whole[(end + 1).min(whole.len())..];
        let text = &whole[..end];
        let length = text.iter().position(|&c| c == b'#').unwrap_or(end);
        Some(Line { number, text: &text[..length], rest: self.rest })
    }
}

impl<'a> Line<'a> {
    /// The words, without the backslashes that join lines: those before a line's end.
    pub fn words(&self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let parts = self.text.split(|&c| c == b'\n');
        let parts = parts.map(|part| {
            let part = part.trim_ascii_end();
            part.strip_suffix(b"\\").unwrap_or(part)
        });
        parts.flat_map(|part| part.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_lines_are_one() {
        let text = b"f 1 4\\\n3 \\ \r\n2\n# a comment \\\nv 1 2 3 # c\n\nf 1\\";
        let lines: Vec<(usize, Vec<&[u8]>)> =
            Lines::of(text).map(|line| (line.number, line.words().collect())).collect();
        assert_eq!(lines[0], (1, vec![&b"f"[..], b"1", b"4", b"3", b"2"]));
        assert_eq!(lines[1], (4, vec![]), "a comment ends with its line");
        assert_eq!(lines[2], (5, vec![&b"v"[..], b"1", b"2", b"3"]));
        assert_eq!(lines[4], (7, vec![&b"f"[..], b"1"]));
    }
}
