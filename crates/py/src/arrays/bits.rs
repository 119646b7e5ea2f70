//! Arrays whose samples this machine does not read as they lie: halves, and numbers of the other byte order. They are read as bits.

use super::copied::copied;
use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// What bits mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Real,
    Signed,
    Unsigned,
}

/// A number of a kind.
pub enum Number {
    Real(f64),
    Signed(i64),
    Unsigned(u64),
}

/// The bits of an array.
pub struct Bits<'py> {
    pub kind: Kind,
    /// Bytes of a sample: 2, 4 or 8.
    pub size: usize,
    is_swapped: bool,
    /// The same memory as whole numbers of this machine's byte order.
    array: Bound<'py, PyAny>,
}

/// Bits that may be in the other byte order.
pub trait Swapped: Element + Copy + Sync {
    fn swapped(self) -> Self;
}

macro_rules! swapped {
    ($($bits:ty)+) => {
        $(impl Swapped for $bits {
            fn swapped(self) -> Self {
                self.swap_bytes()
            }
        })+
    };
}
swapped!(u16 u32 u64);

impl<'py> Bits<'py> {
    /// The bits of an array of halves, or of numbers in the other byte order; none of any other.
    ///
    /// # Errors
    /// What NumPy says of the view.
    pub fn of(array: &Bound<'py, PyUntypedArray>) -> PyResult<Option<Self>> {
        let dtype = array.dtype();
        let (size, is_swapped) = (dtype.itemsize(), dtype.is_native_byteorder() == Some(false));
        let kind = match dtype.kind() {
            b'f' => Kind::Real,
            b'i' => Kind::Signed,
            b'u' => Kind::Unsigned,
            _ => return Ok(None),
        };
        let is_half = kind == Kind::Real && size == 2;
        if !matches!(size, 2 | 4 | 8) || !(is_half || is_swapped) {
            return Ok(None);
        }
        let array = array.call_method1("view", (format!("u{size}"),))?;
        Ok(Some(Self { kind, size, is_swapped, array }))
    }

    /// Copies the array through a conversion of its bits, as [`copied`](super::copied::copied) does.
    ///
    /// # Errors
    /// Those of a copy; bits of another size.
    pub fn copied<B: Swapped, U: Copy + Send + Sync>(
        &self,
        convert: impl Fn(B) -> U + Sync,
        seen: impl Fn(&[U]) + Sync,
    ) -> PyResult<Vec<U>> {
        let array = self.array.cast::<PyArrayDyn<B>>()?;
        match self.is_swapped {
            true => copied(array, |bits: B| convert(bits.swapped()), seen),
            false => copied(array, convert, seen),
        }
    }
}

impl Kind {
    pub fn real_of_16(self, bits: u16) -> f32 {
        match self {
            Self::Real => f32_of_half(bits),
            Self::Signed => f32::from(bits.cast_signed()),
            Self::Unsigned => f32::from(bits),
        }
    }

    pub fn real_of_32(self, bits: u32) -> f32 {
        match self {
            Self::Real => f32::from_bits(bits),
            Self::Signed => bits.cast_signed() as f32,
            Self::Unsigned => bits as f32,
        }
    }

    pub fn real_of_64(self, bits: u64) -> f32 {
        match self {
            Self::Real => f64::from_bits(bits) as f32,
            Self::Signed => bits.cast_signed() as f32,
            Self::Unsigned => bits as f32,
        }
    }

    pub fn number_of_16(self, bits: u16) -> Number {
        match self {
            Self::Real => Number::Real(f64::from(f32_of_half(bits))),
            Self::Signed => Number::Signed(i64::from(bits.cast_signed())),
            Self::Unsigned => Number::Unsigned(u64::from(bits)),
        }
    }

    pub fn number_of_32(self, bits: u32) -> Number {
        match self {
            Self::Real => Number::Real(f64::from(f32::from_bits(bits))),
            Self::Signed => Number::Signed(i64::from(bits.cast_signed())),
            Self::Unsigned => Number::Unsigned(u64::from(bits)),
        }
    }

    pub fn number_of_64(self, bits: u64) -> Number {
        match self {
            Self::Real => Number::Real(f64::from_bits(bits)),
            Self::Signed => Number::Signed(bits.cast_signed()),
            Self::Unsigned => Number::Unsigned(bits),
        }
    }
}

/// The value of a half (IEEE 754 binary16), which 32 bits hold exactly. No operation meets a subnormal number, so that a processor that
/// was told to take those for 0 gives the same.
fn f32_of_half(bits: u16) -> f32 {
    // Exponents of halves are 15 more than the power of 2, those of 32 bits 127.
    const UP: u32 = (127 - 15) << 23;
    let (sign, rest) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff) << 13);
    let least = f32::from_bits(UP + (1 << 23));
    let size = match bits & 0x7c00 {
        0 => (f32::from_bits(UP + (1 << 23) + rest) - least).to_bits(),
        0x7c00 => rest | 0xff << 23,
        _ => rest + UP,
    };
    f32::from_bits(sign | size)
}
