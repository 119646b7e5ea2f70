//! Values in vendors' own elements, which files without types of values hold as plain bytes.
//!
//! *Source*: the dictionaries of private elements that dcm2niix and GDCM carry: Siemens' groups 0019, Philips' 2001 and 2005, GE's 0019
//! and 0043.

use super::fields::Fields;
use super::untyped::Stored;
use dicom_object::Tag;

/// b-values of Siemens, Philips and GE.
const B_VALUES: [(Tag, Stored); 3] = [
    (Tag(0x0019, 0x100C), Stored::Text),
    (Tag(0x2001, 0x1003), Stored::F32),
    (Tag(0x0043, 0x1039), Stored::Text),
];
/// GE adds this to some b-values.
const GE_OFFSET: f64 = 1e9;
/// GE's number of the component.
const GE_COMPONENT: Tag = Tag(0x0043, 0x102F);
/// Siemens' direction of a diffusion gradient.
const SIEMENS_GRADIENT: Tag = Tag(0x0019, 0x100E);
/// Directions of Philips and GE, which have an element for each coordinate.
const GRADIENTS: [([Tag; 3], Stored); 2] = [
    ([Tag(0x2005, 0x10B0), Tag(0x2005, 0x10B1), Tag(0x2005, 0x10B2)], Stored::F32),
    ([Tag(0x0019, 0x10BB), Tag(0x0019, 0x10BC), Tag(0x0019, 0x10BD)], Stored::Text),
];

/// The b-value, s/mm².
pub(super) fn b_value(fields: &Fields) -> Option<f64> {
    let found = B_VALUES.iter().find_map(|&(tag, stored)| fields.stored(tag, stored));
    found.map(|[b]: [f64; 1]| b % GE_OFFSET)
}

/// The direction of the diffusion gradient.
pub(super) fn gradient(fields: &Fields) -> Option<[f64; 3]> {
    let one = |tag: Tag, stored: Stored| fields.stored(tag, stored).map(|[v]: [f64; 1]| v);
    let apart =
        |&([x, y, z], stored): &([Tag; 3], Stored)| Some([one(x, stored)?, one(y, stored)?, one(z, stored)?]);
    fields.stored(SIEMENS_GRADIENT, Stored::F64).or_else(|| GRADIENTS.iter().find_map(apart))
}

/// GE's component: 0 magnitude, 1 phase, 2 real, 3 imaginary.
pub(super) fn ge_component(fields: &Fields) -> Option<i64> {
    fields.stored(GE_COMPONENT, Stored::I16).map(|[v]: [f64; 1]| v as i64)
}
