//! Units of axes, by their names in UDUNITS-2, as OME-Zarr lists them, and by the short ones that files have as well.

/// Powers of ten by their prefixes.
const PREFIXES: [(&str, i32); 20] = [
    ("yotta", 24),
    ("zetta", 21),
    ("exa", 18),
    ("peta", 15),
    ("tera", 12),
    ("giga", 9),
    ("mega", 6),
    ("kilo", 3),
    ("hecto", 2),
    ("deca", 1),
    ("deci", -1),
    ("centi", -2),
    ("milli", -3),
    ("micro", -6),
    ("nano", -9),
    ("pico", -12),
    ("femto", -15),
    ("atto", -18),
    ("zepto", -21),
    ("yocto", -24),
];

/// Millimetres in a unit of length; none for any other.
pub(super) fn length_mm(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "angstrom" | "Å" => 1e-7,
        "foot" => 304.8,
        "inch" => 25.4,
        "yard" => 914.4,
        "mile" => 1_609_344.0,
        "parsec" => 3.085_677_581_491_367e19,
        "micron" | "um" | "µm" | "μm" => 1e-3,
        "nm" => 1e-6,
        "mm" => 1.0,
        "cm" => 10.0,
        "m" => 1e3,
        other => power(other, &["meter", "metre", "meters"])?.multiplied(3),
    })
}

/// Milliseconds in a unit of time; none for any other.
pub(super) fn time_ms(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "minute" | "min" => 6e4,
        "hour" | "h" => 3.6e6,
        "day" | "d" => 8.64e7,
        "s" => 1e3,
        "ms" => 1.0,
        other => power(other, &["second", "seconds"])?.multiplied(3),
    })
}

/// A power of ten.
struct Power(i32);

impl Power {
    /// Times another one, rounded once.
    fn multiplied(self, exponent: i32) -> f64 {
        let power = self.0 + exponent;
        if power < 0 { 1.0 / 10f64.powi(-power) } else { 10f64.powi(power) }
    }
}

/// The power of ten that a unit with a prefix is of one of these.
fn power(unit: &str, of: &[&str]) -> Option<Power> {
    let prefix = of.iter().find_map(|of| unit.strip_suffix(of))?;
    if prefix.is_empty() {
        return Some(Power(0));
    }
    PREFIXES.iter().find(|(name, _)| *name == prefix).map(|(_, power)| Power(*power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_by_their_names() {
        let lengths =
            ["millimeter", "micrometer", "nanometer", "meter", "centimeter", "angstrom", "µm", "kilometer"];
        let mm = [1.0, 1e-3, 1e-6, 1e3, 10.0, 1e-7, 1e-3, 1e6];
        assert_eq!(lengths.map(length_mm), mm.map(Some));
        assert_eq!(
            ["second", "millisecond", "minute", "microsecond"].map(time_ms),
            [1e3, 1.0, 6e4, 1e-3].map(Some)
        );
        assert_eq!(
            [length_mm("pixel"), length_mm("second"), time_ms("meter"), length_mm("foometer")],
            [None; 4]
        );
    }
}
