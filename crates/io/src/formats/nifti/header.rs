//! The 348-byte header of a NIfTI-1 file: fields by name, both byte orders, without interpretation.
//!
//! *Specification*: `nifti1.h`, NIfTI Data Format Working Group, 2003 (revised 2007).

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element};

pub(super) const HEADER_BYTES: usize = 348;
/// Where samples begin when no extension stands between.
pub(super) const SAMPLES_AT: usize = 352;

pub(super) const INTENT_VECTOR: i16 = 1007;

pub(super) const DATATYPE_RGB24: i16 = 128;
pub(super) const DATATYPE_RGBA32: i16 = 2304;

/// The codes of scalar types.
const DATATYPES: [(i16, Element); 10] = [
    (2, Element::U8),
    (4, Element::I16),
    (8, Element::I32),
    (16, Element::F32),
    (64, Element::F64),
    (256, Element::I8),
    (512, Element::U16),
    (768, Element::U32),
    (1024, Element::I64),
    (1280, Element::U64),
];

/// A header as a struct of the fields that matter here, each with its type and its offset in the file.
macro_rules! header {
    ($($name:ident: $type:ty, $offset:literal;)*) => {
        /// The fields that matter here, as stored.
        #[derive(Debug, Clone, PartialEq)]
        pub(super) struct Header {
            pub order: ByteOrder,
            $(pub $name: $type,)*
        }

        impl Header {
            fn get(bytes: &[u8], order: ByteOrder) -> Self {
                Self { order, $($name: Field::get(&bytes[$offset..], order),)* }
            }

            fn put(&self, bytes: &mut [u8]) {
                $(self.$name.put(&mut bytes[$offset..]);)*
            }
        }
    };
}

header! {
    sizeof_hdr: i32, 0;
    dim: [i16; 8], 40;
    intent_p1: f32, 56;
    intent_code: i16, 68;
    datatype: i16, 70;
    bitpix: i16, 72;
    pixdim: [f32; 8], 76;
    vox_offset: f32, 108;
    scl_slope: f32, 112;
    scl_inter: f32, 116;
    xyzt_units: u8, 123;
    descrip: [u8; 7], 148;
    qform_code: i16, 252;
    sform_code: i16, 254;
    quatern: [f32; 3], 256;
    qoffset: [f32; 3], 268;
    srow: [[f32; 4]; 3], 280;
    intent_name: [u8; 16], 328;
    magic: [u8; 4], 344;
}

impl Header {
    /// A header of nothing in particular, to be written.
    pub fn new(dim: [i16; 8], element: Element) -> Self {
        let datatype = DATATYPES.iter().find(|(_, e)| *e == element).map_or(0, |(code, _)| *code);
        Self {
            dim,
            datatype,
            bitpix: 8 * element.bytes() as i16,
            sizeof_hdr: HEADER_BYTES as i32,
            vox_offset: SAMPLES_AT as f32,
            pixdim: [1.0; 8],
            scl_slope: 1.0,
            descrip: *b"Veloxel",
            magic: *b"n+1\0",
            ..Self::get(&[0; HEADER_BYTES], ByteOrder::Little)
        }
    }

    /// Takes the fields out of the first 348 bytes.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) unless the size is that of a NIfTI-1 header; the magic is left to the caller.
    pub fn parse(bytes: &[u8], context: &Context) -> Result<Self> {
        let little = Self::get(bytes, ByteOrder::Little);
        let header = match (little.sizeof_hdr, little.sizeof_hdr.swap_bytes()) {
            (348, _) => little,
            (_, 348) => Self::get(bytes, ByteOrder::Big),
            (other, _) => return Err(context.malformed("NIfTI header size", "348", other)),
        };
        Ok(header)
    }

    /// The header in little-endian order, and the four bytes that say "no extension".
    pub(crate) fn to_bytes(&self) -> [u8; SAMPLES_AT] {
        let mut bytes = [0; SAMPLES_AT];
        self.put(&mut bytes);
        bytes
    }

    /// The type of its scalar samples.
    pub fn element(&self) -> Option<Element> {
        DATATYPES.iter().find(|(code, _)| *code == self.datatype).map(|(_, element)| *element)
    }
}

/// A number, or numbers in a row, at the front of some bytes.
trait Field {
    const BYTES: usize;
    fn get(bytes: &[u8], order: ByteOrder) -> Self;
    /// Little-endian.
    fn put(&self, bytes: &mut [u8]);
}

macro_rules! number_field {
    ($($type:ty)*) => {$(
        impl Field for $type {
            const BYTES: usize = size_of::<Self>();

            fn get(bytes: &[u8], order: ByteOrder) -> Self {
                let number = order.number(&bytes[..Self::BYTES]).to_le_bytes();
                Self::from_le_bytes(std::array::from_fn(|i| number[i]))
            }

            fn put(&self, bytes: &mut [u8]) {
                bytes[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
number_field!(u8 i16 i32 f32);

impl<T: Field, const N: usize> Field for [T; N] {
    const BYTES: usize = N * T::BYTES;

    fn get(bytes: &[u8], order: ByteOrder) -> Self {
        std::array::from_fn(|i| T::get(&bytes[i * T::BYTES..], order))
    }

    fn put(&self, bytes: &mut [u8]) {
        self.iter().enumerate().for_each(|(i, value)| value.put(&mut bytes[i * T::BYTES..]));
    }
}
