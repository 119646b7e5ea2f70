//! What the table says that methods use, against what they use.

use crate::measure::{cpu, smooth};
use serde_json::json;
use veloxel_core::{Diagnosis, Dimension, ErrorKind, Flow, Grid, Mask, Volume};
use veloxel_motion::{
    AnyMethod, DenseDraft, DenseFlow, DenseMethodEntry, DimensionSupport, FlowExtras, GivenInput, InputUse,
    METHODS, MethodOpening, MotionError, Pair, Start, TileSupport, Tiling,
};
use veloxel_phantoms::Phantom;
use veloxel_phantoms::catalogue::MotionKind;

/// A method in its fast preset, or in its default one, opened for two frames of a grid.
fn open(method: &'static DenseMethodEntry, settings: &[&str], grid: &Grid) -> Result<AnyMethod, MotionError> {
    let mut draft = DenseDraft::new(method);
    if method.parameters.presets.iter().any(|preset| preset.name == "fast") {
        draft.set_preset("fast")?;
    }
    settings.iter().try_for_each(|name| draft.set(name, json!(1), ""))?;
    let opening = MethodOpening { grid, image: grid, frames: 2, white: 1.0, draft: &draft, device: &cpu(1) };
    Ok(opening.open()?.method)
}

/// What inputs are made of.
struct Inputs {
    mask: Mask,
    weight: Volume<f32>,
    start: Flow,
}

impl Inputs {
    fn of(phantom: &Phantom) -> Self {
        let grid = phantom.grid();
        let until = grid.size()[0] / 2;
        let mut start = Flow::zeros(grid.clone());
        start.component_vox_mut(0).fill(1.5);
        let weight = Volume::from_fn(grid.clone(), |[x, ..]| if x < until { 1.0 } else { 0.25 });
        Self { mask: Mask::from_fn(grid.clone(), |[x, ..]| x < until), weight, start }
    }

    /// A method's flow with one input or with none.
    fn run(&self, method: AnyMethod, phantom: &Phantom, input: Option<GivenInput>) -> DenseFlow {
        let mut pair = Pair::new(&phantom.fixed, &phantom.moving);
        let mut method = method;
        match input {
            None => {}
            Some(GivenInput::Mask) => pair.mask = Some(&self.mask),
            Some(GivenInput::VolumeMask) => pair.volume_mask = Some(&self.mask),
            Some(GivenInput::Weight) => pair.weight = Some(&self.weight),
            Some(GivenInput::Start) => pair.start = Start::Flow(&self.start),
            Some(GivenInput::SecondDirection) => method = method.inverse_consistent(),
        }
        match method {
            AnyMethod::Pair(mut method) => method.run(&pair),
            AnyMethod::Window(mut method) => {
                method.run(&[pair.fixed, pair.moving], pair.mask, FlowExtras::default())
            }
        }
        .expect("the estimate should succeed")
    }
}

/// The bits of a flow and of its confidence.
fn bits(found: &DenseFlow) -> Vec<u32> {
    let samples = found.flow.planar_vox().iter().chain(found.confidence.data());
    samples.map(|sample| sample.to_bits()).collect()
}

#[test]
fn every_input_changes_the_flow_or_is_refused() {
    let phantom = smooth(MotionKind::Rotation, Dimension::Two, 48);
    let inputs = Inputs::of(&phantom);
    for method in &METHODS {
        let name = method.name();
        for input in GivenInput::ALL {
            let settings = match method.uses.of(input) {
                InputUse::Above0(parameter) => vec![parameter],
                InputUse::Never | InputUse::Always => vec![],
            };
            let found = |input| {
                let opened = open(method, &settings, phantom.grid()).expect("the method should open");
                bits(&inputs.run(opened, &phantom, input))
            };
            let is_used = found(Some(input)) != found(None);
            match method.require(&[input]) {
                Ok(()) => assert!(is_used, "{name} should {}", input.what_is_done()),
                Err(error) => {
                    assert!(!is_used, "{error}, but it does");
                    assert_eq!((error.kind(), error.hint()), (ErrorKind::Parameter, Some(input.hint())));
                }
            }
        }
    }
}

#[test]
fn a_refusal_names_the_methods_that_use_the_input() {
    let method = |name: &str| METHODS.iter().find(|method| method.name() == name).expect("a method");
    let (clg, local) = (method("clg"), method("lucas-kanade"));
    assert_eq!(clg.require(&[]), Ok(()));
    assert_eq!(clg.require(&[GivenInput::Mask, GivenInput::VolumeMask, GivenInput::Start]), Ok(()));
    let text = local.require(&[GivenInput::Mask, GivenInput::VolumeMask]).unwrap_err().to_string();
    assert!(text.starts_with("lucas-kanade does not use a volume mask: clg do"), "{text}");
    for input in GivenInput::ALL {
        let (users, others): (Vec<_>, Vec<_>) = METHODS.iter().partition(|m| m.require(&[input]).is_ok());
        for other in others {
            let text = other.require(&[input]).unwrap_err().to_string();
            let (_, named) = text.split_once(": ").expect("the methods that use it");
            let named: Vec<_> = named.split(&[',', ' ']).collect();
            for method in &users {
                assert!(named.contains(&method.name()), "{text}");
            }
        }
    }
}

#[test]
fn a_parameter_of_0_switches_an_input_off() {
    for method in &METHODS {
        for input in GivenInput::ALL {
            let InputUse::Above0(name) = method.uses.of(input) else { continue };
            let declared = method.parameters.find(name).expect("the parameter should be the method's");
            declared.check(&json!(0), "").expect("0 should be possible");
            let values = |value: f64| [(name.to_owned(), json!(value))].into_iter().collect();
            assert_eq!(method.uses.switched_off_by(input, &values(0.0)), Some(name));
            assert_eq!(method.uses.switched_off_by(input, &values(0.5)), None);
        }
    }
}

#[test]
fn methods_take_the_dimensions_and_tiles_that_the_table_says() {
    let grids = [Grid::image(64, 48), Grid::volume(24, 20, 16)].map(|grid| grid.expect("a grid"));
    for method in &METHODS {
        let name = method.name();
        for grid in &grids {
            let is_picture = grid.dimension() == Dimension::Two;
            let opened = match open(method, &[], grid) {
                Ok(opened) => opened,
                Err(MotionError::NotAPicture { .. }) => {
                    assert!(!is_picture && method.uses.dimensions == DimensionSupport::Pictures, "{name}");
                    continue;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            assert!(is_picture || method.uses.dimensions == DimensionSupport::PicturesAndVolumes, "{name}");
            let footprint = match opened {
                AnyMethod::Pair(method) => method.footprint(),
                AnyMethod::Window(method) => method.footprint(),
            };
            let tiles = match footprint.map_or(Tiling::Never, |footprint| footprint.tiling) {
                Tiling::Never => TileSupport::Never,
                Tiling::Overlap { .. } => TileSupport::Overlapping,
                Tiling::Local { .. } | Tiling::Halves { .. } => TileSupport::SameBits,
            };
            assert_eq!(tiles, method.uses.tiles, "{name}");
        }
    }
}
