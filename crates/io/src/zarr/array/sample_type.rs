//! The sample types of arrays, and their conversion to floats and labels.

use crate::read::element::{ByteOrder, Element, Fit, Scaling};

/// The type of one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleType {
    Number(Element),
    /// A byte that is 0 or not.
    Flag,
}

impl SampleType {
    /// The type of a name of version 3; none if it is not read.
    pub fn named(name: &str) -> Option<Self> {
        Some(Self::Number(match name {
            "bool" => return Some(Self::Flag),
            "uint8" => Element::U8,
            "int8" => Element::I8,
            "uint16" => Element::U16,
            "int16" => Element::I16,
            "uint32" => Element::U32,
            "int32" => Element::I32,
            "uint64" => Element::U64,
            "int64" => Element::I64,
            "float16" => Element::F16,
            "float32" => Element::F32,
            "float64" => Element::F64,
            _ => return None,
        }))
    }

    /// Its name in version 3.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "bool",
            Self::Number(element) => match element {
                Element::U8 => "uint8",
                Element::I8 => "int8",
                Element::U16 => "uint16",
                Element::I16 => "int16",
                Element::U32 => "uint32",
                Element::I32 => "int32",
                Element::U64 => "uint64",
                Element::I64 => "int64",
                Element::F16 => "float16",
                Element::F32 => "float32",
                Element::F64 => "float64",
            },
        }
    }

    /// The type and the byte order of a name of NumPy, as version 2 has them: `<f4`.
    pub fn of_numpy(name: &str) -> Option<(Self, ByteOrder)> {
        let (order, kind) = name.split_at_checked(1)?;
        let order = if order == ">" { ByteOrder::Big } else { ByteOrder::Little };
        let name = match kind {
            "b1" => "bool",
            "f2" => "float16",
            "u1" => "uint8",
            "i1" => "int8",
            "u2" => "uint16",
            "i2" => "int16",
            "u4" => "uint32",
            "i4" => "int32",
            "u8" => "uint64",
            "i8" => "int64",
            "f4" => "float32",
            "f8" => "float64",
            _ => return None,
        };
        Some((Self::named(name)?, order))
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::Number(element) => element.bytes(),
            Self::Flag => 1,
        }
    }

    /// The type that values have once they are read.
    pub fn element(self) -> Element {
        match self {
            Self::Number(Element::F16) => Element::F32,
            Self::Number(element) => element,
            Self::Flag => Element::U8,
        }
    }

    /// Whether its samples are whole numbers.
    pub fn is_whole(self) -> bool {
        !matches!(self.element(), Element::F32 | Element::F64)
    }

    /// Appends the samples of these bytes as floats.
    pub fn floats(self, bytes: &[u8], order: ByteOrder, out: &mut Vec<f32>) -> Fit {
        match self {
            Self::Number(element) => return element.decode(bytes, order, Scaling::NONE, out),
            Self::Flag => out.extend(bytes.iter().map(|&byte| f32::from(u8::from(byte != 0)))),
        }
        Fit::Exact
    }

    /// The whole number that these bytes are.
    pub fn whole(self, bytes: &[u8], order: ByteOrder) -> i128 {
        let number = order.number(bytes);
        match self {
            Self::Flag => i128::from(number != 0),
            Self::Number(Element::I8) => i128::from(number as u8 as i8),
            Self::Number(Element::I16) => i128::from(number as u16 as i16),
            Self::Number(Element::I32) => i128::from(number as u32 as i32),
            Self::Number(Element::I64) => i128::from(number as i64),
            _ => i128::from(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_by_both_names() {
        let big = SampleType::of_numpy(">i2").unwrap();
        assert_eq!(big, (SampleType::Number(Element::I16), ByteOrder::Big));
        assert_eq!(big.0.whole(&[0xff, 0xfe], ByteOrder::Big), -2);
        assert_eq!(SampleType::of_numpy("|b1").map(|found| found.0), SampleType::named("bool"));
        for unknown in ["<c8", "<M8[ns]", "|S4", "", "é"] {
            assert_eq!(SampleType::of_numpy(unknown), None);
        }
        let all = [
            "bool", "float16", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
            "float32", "float64",
        ];
        assert!(all.iter().all(|name| SampleType::named(name).is_some_and(|found| found.name() == *name)));
    }
}
