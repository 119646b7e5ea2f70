//! The sample types of files, and their conversion to `f32`.

/// Which end of a number comes first in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The whole number that up to eight bytes are.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, add),
            Self::Big => bytes.iter().fold(0, add),
        }
    }
}

/// The types of samples, each with its Rust type.
macro_rules! elements {
    ($($element:ident: $type:ident),*) => {
        /// The type of one sample in a file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Element {
            $($element,)*
            /// A float of 16 bits, IEEE 754.
            F16,
        }

        impl Element {
            pub fn bytes(self) -> usize {
                match self {
                    $(Self::$element => size_of::<$type>(),)*
                    Self::F16 => 2,
                }
            }

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$element => stringify!($type),)*
                    Self::F16 => "f16",
                }
            }

            /// The number that the first of these bytes are, in little-endian order.
            pub fn number(self, bytes: [u8; 8]) -> f64 {
                match self {
                    $(Self::$element => <$type>::from_le_bytes(std::array::from_fn(|i| bytes[i])) as f64,)*
                    Self::F16 => half(u16::from_le_bytes([bytes[0], bytes[1]])).into(),
                }
            }
        }
    };
}
elements!(U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, U64: u64, I64: i64, F32: f32, F64: f64);

/// How stored samples become values: `value = slope · stored + intercept`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    pub slope: f64,
    pub intercept: f64,
}

impl Scaling {
    pub const NONE: Self = Self { slope: 1.0, intercept: 0.0 };
}

/// How samples are stored: type, byte order and scaling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stored {
    pub element: Element,
    pub order: ByteOrder,
    pub scaling: Scaling,
}

impl Stored {
    /// Little-endian floats, unscaled.
    pub const F32: Self = Self { element: Element::F32, order: ByteOrder::Little, scaling: Scaling::NONE };
}

/// Whether `f32` could hold every sample as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    Exact,
    Rounded,
}

impl Element {
    /// Appends the whole samples in `bytes`; a rest shorter than one sample is left out.
    pub fn decode(self, bytes: &[u8], order: ByteOrder, scaling: Scaling, out: &mut Vec<f32>) -> Fit {
        // One loop per type, order and scaling, so that each one vectorises.
        macro_rules! numbers {
            ($type:ty, $exact:expr) => {{
                const N: usize = size_of::<$type>();
                let chunks = bytes.as_chunks::<N>().0;
                let mut exact = true;
                let mut append = |number: fn([u8; N]) -> $type| {
                    if scaling == Scaling::NONE {
                        out.extend(chunks.iter().map(|&c| {
                            let stored = number(c);
                            exact &= $exact(stored);
                            stored as f32
                        }));
                    } else {
                        out.extend(
                            chunks
                                .iter()
                                .map(|&c| (scaling.slope * number(c) as f64 + scaling.intercept) as f32),
                        );
                    }
                };
                match order {
                    ByteOrder::Little => append(<$type>::from_le_bytes),
                    ByteOrder::Big => append(<$type>::from_be_bytes),
                }
                if exact { Fit::Exact } else { Fit::Rounded }
            }};
        }
        match self {
            Self::U8 => numbers!(u8, |_| true),
            Self::I8 => numbers!(i8, |_| true),
            Self::U16 => numbers!(u16, |_| true),
            Self::I16 => numbers!(i16, |_| true),
            Self::F32 => numbers!(f32, |_| true),
            Self::U32 => numbers!(u32, |v: u32| f64::from(v as f32) == f64::from(v)),
            Self::I32 => numbers!(i32, |v: i32| f64::from(v as f32) == f64::from(v)),
            Self::U64 => {
                numbers!(u64, |v: u64| v <= 1 << 24 || (v as f32) as u128 == u128::from(v))
            }
            Self::I64 => numbers!(i64, |v: i64| (v as f32) as i128 == i128::from(v)),
            Self::F64 => numbers!(f64, |v: f64| f64::from(v as f32) == v || v.is_nan()),
            Self::F16 => {
                let value = |two: &[u8; 2]| half(order.number(two) as u16);
                let scaled = |v: f32| (scaling.slope * f64::from(v) + scaling.intercept) as f32;
                let numbers = bytes.as_chunks::<2>().0.iter().map(value);
                match scaling == Scaling::NONE {
                    true => out.extend(numbers),
                    false => out.extend(numbers.map(scaled)),
                }
                Fit::Exact
            }
        }
    }
}

/// The float of 16 bits as one of 32, which holds it.
pub(crate) fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    let magnitude = match exponent {
        // In steps of 2^-24.
        0 => fraction as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_of_16_bits() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (1, 2f32.powi(-24)),
            (0x0400, 2f32.powi(-14)),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn both_orders_and_scaling() {
        let mut out = Vec::new();
        Element::I16.decode(&(-300i16).to_be_bytes(), ByteOrder::Big, Scaling::NONE, &mut out);
        Element::U16.decode(&40_000u16.to_le_bytes(), ByteOrder::Little, Scaling::NONE, &mut out);
        let scaling = Scaling { slope: 0.5, intercept: -1.0 };
        Element::F64.decode(&8.0f64.to_le_bytes(), ByteOrder::Little, scaling, &mut out);
        assert_eq!(out, [-300.0, 40_000.0, 3.0]);
    }

    #[test]
    fn a_sample_that_f32_cannot_hold_is_noticed() {
        let fit =
            |v: u32| Element::U32.decode(&v.to_le_bytes(), ByteOrder::Little, Scaling::NONE, &mut Vec::new());
        assert_eq!(fit(1 << 24), Fit::Exact);
        assert_eq!(fit((1 << 24) + 1), Fit::Rounded);
    }

    #[test]
    fn a_partial_sample_is_left_out() {
        let mut out = Vec::new();
        Element::F32.decode(&[0; 7], ByteOrder::Little, Scaling::NONE, &mut out);
        assert_eq!(out.len(), 1);
    }
}
