//! The 348 bytes at the head of a NIfTI-1 file: fields by name, both byte orders, nothing judged.
//!
//! *Specification*: `nifti1.h`, NIfTI Data Format Working Group, 2003 (revised 2007).

use crate::IoError;
use crate::context::Context;
use crate::element::{ByteOrder, Element};

pub(crate) const HEADER_BYTES: usize = 348;
/// Where samples begin when no extension stands between.
pub(crate) const SAMPLES_AT: usize = 352;

pub(crate) const INTENT_DISPLACEMENT: i16 = 1006;
pub(crate) const INTENT_VECTOR: i16 = 1007;

pub(crate) const DATATYPE_RGB24: i16 = 128;
pub(crate) const DATATYPE_RGBA32: i16 = 2304;

/// The fields that matter here, as stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    pub order: ByteOrder,
    pub dim: [i16; 8],
    pub intent_code: i16,
    pub datatype: i16,
    pub pixdim: [f32; 8],
    pub vox_offset: f32,
    pub scl_slope: f32,
    pub scl_inter: f32,
    pub xyzt_units: u8,
    pub qform_code: i16,
    pub sform_code: i16,
    pub quatern: [f32; 3],
    pub qoffset: [f32; 3],
    pub srow: [[f32; 4]; 3],
}

impl Header {
    /// A header of nothing in particular, little-endian.
    pub fn new(dim: [i16; 8], datatype: i16) -> Self {
        Self {
            order: ByteOrder::Little,
            dim,
            intent_code: 0,
            datatype,
            pixdim: [1.0; 8],
            vox_offset: SAMPLES_AT as f32,
            scl_slope: 1.0,
            scl_inter: 0.0,
            xyzt_units: 2,
            qform_code: 0,
            sform_code: 0,
            quatern: [0.0; 3],
            qoffset: [0.0; 3],
            srow: [[0.0; 4]; 3],
        }
    }

    /// Takes the fields out of the first 348 bytes.
    ///
    /// # Errors
    /// [`IoError::Malformed`] or [`IoError::Unsupported`] unless size and magic are those of a single-file NIfTI-1.
    pub fn parse(bytes: &[u8], context: &Context) -> Result<Self, IoError> {
        if bytes.len() < HEADER_BYTES {
            return Err(context.truncated("the NIfTI header", HEADER_BYTES as u64, bytes.len() as u64));
        }
        let first = [bytes[0], bytes[1], bytes[2], bytes[3]];
        let order = match (i32::from_le_bytes(first), i32::from_be_bytes(first)) {
            (348, _) => ByteOrder::Little,
            (_, 348) => ByteOrder::Big,
            (540, _) | (_, 540) => {
                return Err(context.unsupported("NIfTI-2", "convert it to NIfTI-1, MHA or NRRD"));
            }
            (other, _) => return Err(context.malformed("NIfTI header size", "348", other)),
        };
        match &bytes[344..348] {
            b"n+1\0" => {}
            b"ni1\0" => {
                return Err(
                    context.unsupported("a NIfTI pair (.hdr and .img)", "convert it to one .nii file")
                );
            }
            other => return Err(context.malformed("NIfTI magic", "\"n+1\"", format!("{other:?}"))),
        }
        let i16_at = |at: usize| match order {
            ByteOrder::Little => i16::from_le_bytes([bytes[at], bytes[at + 1]]),
            ByteOrder::Big => i16::from_be_bytes([bytes[at], bytes[at + 1]]),
        };
        let f32_at = |at: usize| {
            let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            match order {
                ByteOrder::Little => f32::from_le_bytes(word),
                ByteOrder::Big => f32::from_be_bytes(word),
            }
        };
        Ok(Self {
            order,
            dim: std::array::from_fn(|i| i16_at(40 + 2 * i)),
            intent_code: i16_at(68),
            datatype: i16_at(70),
            pixdim: std::array::from_fn(|i| f32_at(76 + 4 * i)),
            vox_offset: f32_at(108),
            scl_slope: f32_at(112),
            scl_inter: f32_at(116),
            xyzt_units: bytes[123],
            qform_code: i16_at(252),
            sform_code: i16_at(254),
            quatern: std::array::from_fn(|i| f32_at(256 + 4 * i)),
            qoffset: std::array::from_fn(|i| f32_at(268 + 4 * i)),
            srow: std::array::from_fn(|r| std::array::from_fn(|c| f32_at(280 + 16 * r + 4 * c))),
        })
    }

    /// The header and the four bytes that say "no extension", in the header's byte order.
    pub fn to_bytes(&self) -> [u8; SAMPLES_AT] {
        let mut bytes = [0u8; SAMPLES_AT];
        let order = self.order;
        let mut put = |at: usize, little: &[u8]| {
            let field = &mut bytes[at..at + little.len()];
            field.copy_from_slice(little);
            if order == ByteOrder::Big {
                field.reverse();
            }
        };
        put(0, &(HEADER_BYTES as i32).to_le_bytes());
        for (i, v) in self.dim.iter().enumerate() {
            put(40 + 2 * i, &v.to_le_bytes());
        }
        put(68, &self.intent_code.to_le_bytes());
        put(70, &self.datatype.to_le_bytes());
        let bits = element(self.datatype).map_or(0, |e| 8 * e.bytes() as i16);
        put(72, &bits.to_le_bytes());
        for (i, v) in self.pixdim.iter().enumerate() {
            put(76 + 4 * i, &v.to_le_bytes());
        }
        put(108, &self.vox_offset.to_le_bytes());
        put(112, &self.scl_slope.to_le_bytes());
        put(116, &self.scl_inter.to_le_bytes());
        put(123, &[self.xyzt_units]);
        put(252, &self.qform_code.to_le_bytes());
        put(254, &self.sform_code.to_le_bytes());
        for i in 0..3 {
            put(256 + 4 * i, &self.quatern[i].to_le_bytes());
            put(268 + 4 * i, &self.qoffset[i].to_le_bytes());
            for (c, v) in self.srow[i].iter().enumerate() {
                put(280 + 16 * i + 4 * c, &v.to_le_bytes());
            }
        }
        bytes[148..155].copy_from_slice(b"Veloxel");
        bytes[344..348].copy_from_slice(b"n+1\0");
        bytes
    }
}

/// The scalar type of a NIfTI data type code.
pub(crate) fn element(datatype: i16) -> Option<Element> {
    Some(match datatype {
        2 => Element::U8,
        4 => Element::I16,
        8 => Element::I32,
        16 => Element::F32,
        64 => Element::F64,
        256 => Element::I8,
        512 => Element::U16,
        768 => Element::U32,
        1024 => Element::I64,
        1280 => Element::U64,
        _ => return None,
    })
}

/// The NIfTI code of a scalar type.
pub(crate) fn datatype(element: Element) -> i16 {
    match element {
        Element::U8 => 2,
        Element::I16 => 4,
        Element::I32 => 8,
        Element::F32 => 16,
        Element::F64 => 64,
        Element::I8 => 256,
        Element::U16 => 512,
        Element::U32 => 768,
        Element::I64 => 1024,
        Element::U64 => 1280,
    }
}
