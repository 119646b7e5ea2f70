//! Text out of a file as a part of a message: of one line, and short however long the text is.

/// Characters of a quotation.
pub(crate) const MOST_CHARACTERS: usize = 200;

/// As much of a text as a message quotes, with its control characters spelt out.
pub(crate) fn quoted(text: &str) -> String {
    cut(text, MOST_CHARACTERS)
}

/// As much of a message as is told, where it quotes several texts.
pub(crate) fn told(text: &str) -> String {
    cut(text, 8 * MOST_CHARACTERS)
}

/// As much of a word as a message quotes; it need not be UTF-8.
pub(crate) fn quoted_bytes(word: &[u8]) -> String {
    // A character has at most four bytes; a word may be as long as its file.
    quoted(&String::from_utf8_lossy(&word[..word.len().min(4 * MOST_CHARACTERS + 4)]))
}

fn cut(text: &str, most: usize) -> String {
    let mut left = text.chars();
    let mut short = String::with_capacity(text.len().min(4 * most));
    for c in left.by_ref().take(most) {
        if c.is_control() { short.extend(c.escape_default()) } else { short.push(c) }
    }
    if left.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_control_characters_spelt_out() {
        assert_eq!(quoted("a\nb"), "a\\nb");
        let long = "ä".repeat(5000);
        assert_eq!(quoted(&long), "ä".repeat(200) + "…");
        assert_eq!(quoted_bytes(long.as_bytes()), quoted(&long));
        assert_eq!(quoted(&"x".repeat(200)), "x".repeat(200));
    }
}
