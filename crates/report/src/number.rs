//! Numbers as text: three significant digits.

pub use veloxel_core::memory_size as size;

/// Three significant digits; powers of ten where zeros would fill the number; a dash for a value that is not finite.
pub fn text(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&magnitude) {
        let exponent = magnitude.log10().floor() as i32;
        let mantissa = trimmed(format!("{:.1}", value / 10f64.powi(exponent)));
        return minus(format!("{mantissa} × {}", power_of_ten(exponent)));
    }
    let decimals = (2 - magnitude.log10().floor() as i32).clamp(0, 4) as usize;
    minus(trimmed(format!("{value:.decimals$}")))
}

/// A share in percent: `12.3 %`.
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 5e-5 {
        "< 0.01 %".to_owned()
    } else {
        format!("{} %", text(100.0 * ((share * 1e4).round() / 1e4)))
    }
}

/// A number with so many decimals, for columns: `12.30`, `−0.45`; no minus before zeros.
pub fn fixed(value: f64, decimals: usize) -> String {
    minus(format!("{:.decimals$}", no_minus_zero(value, decimals)))
}

/// A number with its sign and so many decimals: `+6.6`, `−48.0`; zeros have a plus.
pub fn signed(value: f64, decimals: usize) -> String {
    minus(format!("{:+.decimals$}", no_minus_zero(value, decimals)))
}

/// The value, or 0 if it is rounded to it.
fn no_minus_zero(value: f64, decimals: usize) -> f64 {
    let is_zero = format!("{:.decimals$}", value.abs()).chars().all(|c| matches!(c, '0' | '.'));
    if is_zero { 0.0 } else { value }
}

/// A whole number with narrow spaces that do not break: `20 048`.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun: `1 thread`, `2 threads`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A time: `840 ms`, `12.3 s`, `3 min 20 s`.
pub fn duration(time_ms: f64) -> String {
    if time_ms < 1e-3 {
        // Below what a clock tells.
        "0 ms".to_owned()
    } else if time_ms < 1000.0 {
        format!("{} ms", text(time_ms))
    } else if time_ms < 120_000.0 {
        format!("{} s", text(time_ms / 1000.0))
    } else {
        let seconds = (time_ms / 1000.0).round() as u64;
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

/// A power of ten: `10⁻³`.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    let raised = |c: char| match c.to_digit(10) {
        Some(d) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize],
        None => '⁻',
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

/// The smallest of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below `value`; 1 unless `value` is finite and
/// above 0.
pub(crate) fn nice_ceiling(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let step = steps.into_iter().find(|s| s * power >= value * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

/// Values at round steps within `[low, high]`, about `count` of them.
pub(crate) fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let range = high - low;
    if !range.is_finite() || range <= 0.0 {
        return vec![low];
    }
    let rough = range / count.max(1) as f64;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|s| s * power >= rough).unwrap_or(10.0) * power;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick's number with the decimals that its step needs.
pub(crate) fn tick_text(value: f64, step: f64) -> String {
    if step < 1e-4 || value.abs() >= 1e6 {
        return text(value);
    }
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    // a tick at zero may come out of the multiplication as −0
    minus(format!("{:.decimals$}", value + 0.0))
}

fn trimmed(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The text with a true minus sign instead of a hyphen.
fn minus(text: String) -> String {
    text.replacen('-', "−", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        let cases = [
            (1.23456, "1.23"),
            (0.05, "0.05"),
            (-12.34, "−12.3"),
            (1234.0, "1234"),
            (2e-5, "2 × 10⁻⁵"),
            (f64::NAN, "–"),
            (0.0, "0"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(value), expected);
        }
        assert_eq!((percent(0.1234).as_str(), percent(1e-6).as_str()), ("12.3 %", "< 0.01 %"));
        assert_eq!(duration(7e-5), "0 ms");
        assert_eq!((duration(1840.0), duration(200_000.0)), ("1.84 s".to_owned(), "3 min 20 s".to_owned()));
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(
            [7, 1000, 20048, 1234567].map(count),
            ["7", "1\u{202f}000", "20\u{202f}048", "1\u{202f}234\u{202f}567"]
        );
    }

    #[test]
    fn round_steps() {
        assert_eq!(nice_ceiling(2.3), 2.5);
        assert_eq!(nice_ceiling(1.0), 1.0);
        assert_eq!(nice_ceiling(0.0), 1.0);
        assert_eq!(ticks(0.0, 1.0, 4), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(2.0, 2.0, 4), [2.0]);
        assert_eq!([0.995, 1.0, 1.005].map(|v| tick_text(v, 0.005)), ["0.995", "1.000", "1.005"]);
        assert_eq!(tick_text(-20.0, 10.0), "−20");
    }

    #[test]
    fn signs_are_minus_signs_and_pluses() {
        assert_eq!([signed(6.62, 1), signed(-48.0, 1), signed(-0.04, 1)], ["+6.6", "−48.0", "+0.0"]);
        assert_eq!([fixed(-0.451, 2), fixed(12.3, 2)], ["−0.45", "12.30"]);
    }
}
