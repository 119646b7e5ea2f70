//! The sample types of files, and their conversion to `f32`.

/// Which end of a number comes first in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// The type of one sample in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

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
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Appends the whole samples in `bytes`; a rest shorter than one sample is left out.
    pub fn decode(self, bytes: &[u8], order: ByteOrder, scaling: Scaling, out: &mut Vec<f32>) -> Fit {
        // One loop per type, order and scaling, so that each one vectorises.
        macro_rules! numbers {
            ($type:ty, $narrow:expr, $exact:expr) => {{
                const N: usize = size_of::<$type>();
                let chunks = bytes.as_chunks::<N>().0;
                let mut exact = true;
                let mut append = |number: fn([u8; N]) -> $type| {
                    if scaling == Scaling::NONE {
                        out.extend(chunks.iter().map(|&c| {
                            let stored = number(c);
                            exact &= $exact(stored);
                            $narrow(stored)
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
            Self::U8 => numbers!(u8, f32::from, |_| true),
            Self::I8 => numbers!(i8, f32::from, |_| true),
            Self::U16 => numbers!(u16, f32::from, |_| true),
            Self::I16 => numbers!(i16, f32::from, |_| true),
            Self::F32 => numbers!(f32, |v: f32| v, |_| true),
            Self::U32 => numbers!(u32, |v| v as f32, |v: u32| f64::from(v as f32) == f64::from(v)),
            Self::I32 => numbers!(i32, |v| v as f32, |v: i32| f64::from(v as f32) == f64::from(v)),
            Self::U64 => {
                numbers!(u64, |v| v as f32, |v: u64| v <= 1 << 24 || (v as f32) as u128 == u128::from(v))
            }
            Self::I64 => numbers!(i64, |v| v as f32, |v: i64| (v as f32) as i128 == i128::from(v)),
            Self::F64 => numbers!(f64, |v| v as f32, |v: f64| f64::from(v as f32) == v || v.is_nan()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
