//! What tells images at one place and time apart: their component, echo, b-value, reconstruction and the like. None of it is time.
//!
//! *Specification*: DICOM PS3.3, sections C.7.6.1.1.2 (image type), C.8.13.3.1 (complex image component), C.8.13.5 (echoes,
//! diffusion, inversion, velocity).

use super::fields::Fields;
use dicom_dictionary_std::tags;
use dicom_object::Tag;

/// What images of a part have in common, in the order of [`NAMES`]; empty where it is not said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Kind(pub [Box<str>; NAMES.len()]);

/// What a value is called in a label; the component and the kinds of images stand for themselves.
pub(crate) const NAMES: [&str; 19] = [
    "",
    "type=",
    "echo_ms=",
    "b=",
    "gradient=",
    "inversion_ms=",
    "flip=",
    "velocity=",
    "kernel=",
    "thickness_mm=",
    "kvp=",
    "corrected=",
    "sequence=",
    "segment=",
    "stack=",
    "energy_window=",
    "detector=",
    "view=",
    "bolus=",
];
/// The component that is taken where several are there.
pub(crate) const MAGNITUDE: &str = "magnitude";

/// Directions of velocities.
const VELOCITY_DIRECTION: Tag = tags::VELOCITY_ENCODING_DIRECTION;
/// b-values of Siemens, Philips and GE, where the standard's element is not there.
const B_VALUES: [Tag; 3] = [Tag(0x0019, 0x100C), Tag(0x2001, 0x1003), Tag(0x0043, 0x1039)];
/// GE adds this to some b-values.
const GE_OFFSET: f64 = 1e9;
/// GE's number of the component.
const GE_COMPONENT: Tag = Tag(0x0043, 0x102F);

impl Kind {
    pub fn of(fields: &Fields, frame: u32) -> Self {
        let number = |tag: Tag| fields.number(tag).map(|v| v.to_string()).unwrap_or_default();
        let image_type = {
            let of_frame = fields.texts(tags::FRAME_TYPE);
            if of_frame.is_empty() { fields.texts(tags::IMAGE_TYPE) } else { of_frame }
        };
        let b = fields.number(tags::DIFFUSION_B_VALUE);
        let b = b.or_else(|| B_VALUES.iter().find_map(|&tag| fields.number(tag))).map(|b| b % GE_OFFSET);
        let gradient = fields.within(tags::DIFFUSION_GRADIENT_DIRECTION_SEQUENCE);
        let gradient = gradient.numbers::<3>(tags::DIFFUSION_GRADIENT_ORIENTATION);
        let gradient = gradient.or_else(|| fields.numbers(tags::DIFFUSION_GRADIENT_ORIENTATION));
        let joined = |v: [f64; 3]| v.map(|v| v.to_string()).join("/");
        let nth = |tag: Tag| fields.nth(tag, frame as usize).map(|v| v.to_string()).unwrap_or_default();
        let echo = fields.number(tags::EFFECTIVE_ECHO_TIME).or_else(|| fields.number(tags::ECHO_TIME));
        let echo = echo.map(|ms| ms.to_string()).unwrap_or_else(|| number(tags::ECHO_NUMBERS));
        let either = |a: String, b: String| if a.is_empty() { b } else { a };
        let values = [
            component(fields, &image_type).to_owned(),
            image_type,
            echo,
            b.map(|b| b.to_string()).unwrap_or_default(),
            gradient.map(joined).unwrap_or_default(),
            either(number(tags::INVERSION_TIMES), number(tags::INVERSION_TIME)),
            number(tags::FLIP_ANGLE),
            fields.numbers(VELOCITY_DIRECTION).map(joined).unwrap_or_default(),
            fields.texts(tags::CONVOLUTION_KERNEL),
            number(tags::SLICE_THICKNESS),
            number(tags::KVP),
            fields.texts(tags::CORRECTED_IMAGE),
            fields.text(tags::SEQUENCE_NAME),
            number(tags::REFERENCED_SEGMENT_NUMBER),
            fields.text(tags::STACK_ID),
            nth(tags::ENERGY_WINDOW_VECTOR),
            nth(tags::DETECTOR_VECTOR),
            either(nth(tags::ANGULAR_VIEW_VECTOR), nth(tags::ROTATION_VECTOR)),
            fields.text(tags::CONTRAST_BOLUS_AGENT),
        ];
        Self(values.map(String::into_boxed_str))
    }

    /// Values that differ within a series, with their names: `magnitude,echo_ms=5`.
    pub fn label(&self, differing: &[usize]) -> String {
        let told = |&nth: &usize| match (&*self.0[nth], NAMES[nth]) {
            ("", "") => "other".to_owned(),
            ("", name) => format!("{name}none"),
            (value, name) => format!("{name}{value}"),
        };
        differing.iter().map(told).collect::<Vec<_>>().join(",").replace(' ', "_")
    }
}

/// Magnitude, phase, real, imaginary or a map, as the component or the type of an image says; empty for others.
fn component(fields: &Fields, image_type: &str) -> &'static str {
    const MAPS: [(&[&str], &str); 5] = [
        (&["FIELD_MAP", "FIELD MAP", "B0", "B0 MAP", "B0_MAP"], "field_map"),
        (&["VELOCITY", "VELOCITY MAP", "VELOCITY_MAP", "PHASE MAP", "PHASE", "P", "PHASE CONTRAST"], "phase"),
        (&["R", "REAL"], "real"),
        (&["I", "IMAGINARY"], "imaginary"),
        (&["M", "MAGNITUDE", "FFE", "M_FFE", "M_SE", "M_IR", "MAG"], MAGNITUDE),
    ];
    let words: Vec<String> = image_type.split('\\').skip(2).map(str::to_uppercase).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let of_type = MAPS.iter().find(|(names, _)| has(names)).map(|(_, name)| *name);
    if let Some(name @ ("field_map" | "phase")) = of_type {
        return name;
    }
    match fields.text(tags::COMPLEX_IMAGE_COMPONENT).as_str() {
        "MAGNITUDE" => MAGNITUDE,
        "PHASE" => "phase",
        "REAL" => "real",
        "IMAGINARY" => "imaginary",
        _ => match (of_type, fields.whole(GE_COMPONENT)) {
            (Some(name), _) => name,
            (None, Some(0)) => MAGNITUDE,
            (None, Some(1)) => "phase",
            (None, Some(2)) => "real",
            (None, Some(3)) => "imaginary",
            _ => "",
        },
    }
}
