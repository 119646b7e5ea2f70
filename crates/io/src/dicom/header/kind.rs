//! What tells images at one place and time apart: their component, echo, b-value, reconstruction and the like. None of it is time.
//!
//! *Specification*: DICOM PS3.3, sections C.7.6.1.1.2 (image type), C.8.13.3.1 (complex image component), C.8.13.5 (echoes,
//! diffusion, inversion, velocity).

use super::fields::Fields;
use super::vendors;
use dicom_dictionary_std::tags;
use dicom_object::Tag;

/// What images of a part have in common, in the order of [`NAMES`]; empty where it is not said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Kind(pub [Box<str>; NAMES.len()]);

/// What a value is called in a label; the component and the kinds of images stand for themselves.
pub(crate) const NAMES: [&str; 31] = [
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
    "coil=",
    "patient=",
    "options=",
    "values=",
    "units=",
    "algorithm=",
    "filter=",
    "diameter_mm=",
    "side=",
    "contrast=",
    "preparation=",
    "data=",
];
/// Which of the values names a stack, whose slices are those of no other.
pub(crate) const STACK: usize = 14;
/// The component that is taken where several are there.
pub(crate) const MAGNITUDE: &str = "magnitude";

/// Directions of velocities.
const VELOCITY_DIRECTION: Tag = tags::VELOCITY_ENCODING_DIRECTION;
impl Kind {
    pub fn of(fields: &Fields, frame: u32) -> Self {
        let number = |tag: Tag| fields.number(tag).map(|v| v.to_string()).unwrap_or_default();
        let image_type = {
            let of_frame = fields.texts(tags::FRAME_TYPE);
            if of_frame.is_empty() { fields.texts(tags::IMAGE_TYPE) } else { of_frame }
        };
        let b = fields.number(tags::DIFFUSION_B_VALUE).or_else(|| vendors::b_value(fields));
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
            gradient(fields).map(joined).unwrap_or_default(),
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
            fields.text(tags::RECEIVE_COIL_NAME),
            fields.text(tags::PATIENT_POSITION),
            fields.texts(tags::SCAN_OPTIONS),
            fields.text(tags::RESCALE_TYPE),
            fields.text(tags::UNITS),
            either(fields.text(tags::RECONSTRUCTION_ALGORITHM), fields.text(tags::RECONSTRUCTION_METHOD)),
            fields.text(tags::FILTER_TYPE),
            number(tags::RECONSTRUCTION_DIAMETER),
            fields.text(tags::IMAGE_LATERALITY),
            fields.text(tags::ACQUISITION_CONTRAST),
            preparation(fields),
            fields.text(tags::DATA_TYPE),
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

fn gradient(fields: &Fields) -> Option<[f64; 3]> {
    let within = fields.within(tags::DIFFUSION_GRADIENT_DIRECTION_SEQUENCE);
    let said = within.numbers(tags::DIFFUSION_GRADIENT_ORIENTATION);
    let said = said.or_else(|| fields.numbers(tags::DIFFUSION_GRADIENT_ORIENTATION));
    said.or_else(|| vendors::gradient(fields))
}

/// What prepared the magnetization: words between slashes.
fn preparation(fields: &Fields) -> String {
    let known = [tags::MAGNETIZATION_TRANSFER, tags::T2_PREPARATION, tags::SPECTRALLY_SELECTED_SUPPRESSION];
    let words = known.map(|tag| fields.text(tag));
    let said: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    said.join("/")
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
        _ => match (of_type, vendors::ge_component(fields)) {
            (Some(name), _) => name,
            (None, Some(0)) => MAGNITUDE,
            (None, Some(1)) => "phase",
            (None, Some(2)) => "real",
            (None, Some(3)) => "imaginary",
            _ => "",
        },
    }
}
