//! Numbers of texts, in every spelling that programs write.

/// A number that a word may be.
pub(crate) trait Number: Sized {
    /// The number that a word is.
    fn of(word: &str) -> Option<Self>;
}

impl Number for f64 {
    fn of(word: &str) -> Option<Self> {
        float(word)
    }
}

macro_rules! whole {
    ($($whole:ty),*) => {
        $(impl Number for $whole {
            fn of(word: &str) -> Option<Self> {
                word.parse().ok()
            }
        })*
    };
}
whole!(u32, u64, usize, i64);

/// A fraction: with a point or one comma, with the exponents of C and of Fortran (`1.5D+00`), and what C libraries write for what
/// is no number (`-nan(ind)`, `1.#QNAN`, `nan(0x1)`) and for infinity (`1.#INF`).
///
/// Whether a comma may be one, the reader of words or of rows knows.
pub(crate) fn float(word: &str) -> Option<f64> {
    if let Ok(number) = word.parse() {
        return Some(number);
    }
    let lower = word.to_ascii_lowercase();
    let (sign, rest) = match lower.strip_prefix(['-', '+']) {
        Some(rest) if lower.starts_with('-') => (-1.0, rest),
        Some(rest) => (1.0, rest),
        None => (1.0, &*lower),
    };
    if rest
        .strip_prefix("nan(")
        .is_some_and(|rest| rest.ends_with(')') && !rest[..rest.len() - 1].contains(['(', ')']))
    {
        return Some(f64::NAN);
    }
    if let Some(kind) = rest.strip_prefix("1.#") {
        return match kind.trim_end_matches('0') {
            "inf" => Some(sign * f64::INFINITY),
            "nan" | "qnan" | "snan" | "ind" => Some(f64::NAN),
            _ => None,
        };
    }
    let plain =
        rest.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b',' | b'd' | b'e' | b'+' | b'-'));
    if !plain {
        return None;
    }
    let with_point = match has_decimal_comma(rest) {
        true => rest.replacen(',', ".", 1),
        false => rest.to_owned(),
    };
    with_point
        .replacen('d', "e", 1)
        .parse()
        .ok()
        .filter(|_| !rest.starts_with(['-', '+']))
        .map(|number: f64| sign * number)
}

/// Whether a word is a number whose fraction begins with a comma: `2,5`, `-0,25e3`.
pub(crate) fn has_decimal_comma(word: &str) -> bool {
    let Some((whole, rest)) = word.split_once(',') else { return false };
    let whole = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let exponent = rest[digits..].strip_prefix(['e', 'E', 'd', 'D']);
    let exponent = exponent.map(|power| power.strip_prefix(['-', '+']).unwrap_or(power));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    all_digits(whole) && digits > 0 && (rest.len() == digits || exponent.is_some_and(all_digits))
}

/// Whether the comma of such a number may part thousands as well: `1,500`, but not `0,500`.
pub(crate) fn may_be_thousands(word: &str) -> bool {
    let Some((whole, rest)) = word.split_once(',') else { return false };
    let whole = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    whole.len() <= 3 && !whole.starts_with('0') && rest.len() == 3 && rest.bytes().all(|c| c.is_ascii_digit())
}

/// What is expected where a comma cannot be told from one that parts columns or thousands.
pub(crate) const DECIMAL_POINT: &str = "fractions with a point, such as 2.5";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_every_spelling() {
        for (word, number) in [
            ("2.5", 2.5),
            ("+2,5", 2.5),
            ("-0,25e3", -250.0),
            ("1.5D+01", 15.0),
            ("-1.5d0", -1.5),
            ("Infinity", f64::INFINITY),
            ("-1.#INF", f64::NEG_INFINITY),
            ("1.#INF00", f64::INFINITY),
        ] {
            assert_eq!(float(word), Some(number), "{word}");
        }
        for word in ["nan", "-NaN", "-nan(ind)", "nan(snan)", "NAN(0x7ff)", "1.#QNAN", "-1.#IND00", "1.#SNAN"]
        {
            assert!(float(word).is_some_and(f64::is_nan), "{word}");
        }
        for word in [
            "",
            "x",
            "1,",
            ",5",
            "1,2,3",
            "1.5,2",
            "1,000.5",
            "--1",
            "1e",
            "0x10",
            "nan(",
            "1.#",
            "−1",
            "1d",
            "d",
            "1 2",
            "1\u{a0}000",
        ] {
            assert_eq!(float(word), None, "{word}");
        }
    }

    #[test]
    fn commas_that_may_part_thousands() {
        for word in ["1,500", "-12,345", "999,999"] {
            assert!(has_decimal_comma(word) && may_be_thousands(word), "{word}");
        }
        for word in ["0,500", "1,50", "1234,567", "1,5000", "1,500e3"] {
            assert!(has_decimal_comma(word) && !may_be_thousands(word), "{word}");
        }
    }
}
