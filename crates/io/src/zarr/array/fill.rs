//! Fill values: what samples of a missing chunk are.

use super::sample_type::SampleType;
use crate::read::element::{Element, half};
use serde_json::Value;

/// A fill value, as a float and as a whole number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fill {
    pub float: f32,
    /// The whole number, if it is one.
    pub whole: Option<i128>,
}

impl Fill {
    pub const ZERO: Self = Self { float: 0.0, whole: Some(0) };

    /// The fill value that JSON says; nothing where the type has no such value. No value counts as 0.
    pub fn parse(value: Option<&Value>, sample: SampleType) -> Option<Self> {
        let is_float = !sample.is_whole();
        match value {
            None | Some(Value::Null) => Some(Self::ZERO),
            Some(Value::Bool(flag)) => Some(Self::whole(i128::from(*flag))),
            Some(Value::Number(number)) => {
                let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                match whole {
                    Some(whole) => Some(Self::whole(whole)),
                    None => {
                        let float = number.as_f64()?;
                        if float.fract() == 0.0 && float.abs() < 1e18 {
                            return Some(Self::whole(float as i128));
                        }
                        is_float.then_some(Self { float: float as f32, whole: None })
                    }
                }
            }
            Some(Value::String(text)) if is_float => {
                Some(Self { float: float_of(text, sample)?, whole: None })
            }
            // Version 2 has base64 of the bytes in some files; other types are not read.
            _ => None,
        }
    }

    fn whole(whole: i128) -> Self {
        Self { float: whole as f32, whole: Some(whole) }
    }
}

/// `NaN`, `Infinity`, `-Infinity`, or the bits in hexadecimal digits.
fn float_of(text: &str, sample: SampleType) -> Option<f32> {
    match text {
        "NaN" => return Some(f32::NAN),
        "Infinity" => return Some(f32::INFINITY),
        "-Infinity" => return Some(f32::NEG_INFINITY),
        _ => {}
    }
    let bits = u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    Some(match sample {
        SampleType::Number(Element::F32) => f32::from_bits(u32::try_from(bits).ok()?),
        SampleType::Number(Element::F64) => f64::from_bits(bits) as f32,
        _ => half(u16::try_from(bits).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_way_to_say_a_fill_value() {
        let float = SampleType::Number(Element::F32);
        let of = |value: Value, sample| Fill::parse(Some(&value), sample).map(|fill| fill.float);
        assert!(of(json!("NaN"), float).unwrap().is_nan());
        assert_eq!(of(json!("-Infinity"), float), Some(f32::NEG_INFINITY));
        assert_eq!(of(json!("0x3f800000"), float), Some(1.0));
        assert_eq!(of(json!("0x3c00"), SampleType::Number(Element::F16)), Some(1.0));
        assert_eq!(
            (of(json!(0.5), float), of(json!(null), float), of(json!(true), SampleType::Flag)),
            (Some(0.5), Some(0.0), Some(1.0))
        );
        let byte = SampleType::Number(Element::U8);
        assert_eq!(
            (of(json!(7.0), byte), of(json!(0.5), byte), of(json!("NaN"), byte)),
            (Some(7.0), None, None)
        );
        let long = Fill::parse(Some(&json!(u64::MAX)), SampleType::Number(Element::U64)).unwrap();
        assert_eq!(long.whole, Some(i128::from(u64::MAX)));
    }
}
