//! What holds for every parameter of every method: ranges, presets, and what a wrong value is answered.

use serde_json::{Map, Value, json};
use veloxel_core::parameters::{
    MethodParameters, ParameterDeclaration, ParameterError, ParameterKind, Parameters,
};
use veloxel_core::{Dimension, Grid};
use veloxel_gpu::Device;
use veloxel_motion::clg::parameters::Penaliser;
use veloxel_motion::steps::choices::MedianFilter;
use veloxel_motion::{Clg, ClgParams, DenseDraft, DenseMethodEntry, METHODS, PhaseParameters};

const DIMENSIONS: [(Dimension, &str); 2] = [(Dimension::Two, "2d"), (Dimension::Three, "3d")];

fn declared() -> impl Iterator<Item = &'static MethodParameters> {
    METHODS.iter().map(|method| &method.parameters)
}

/// Every number that is declared: the method, the setting's name and a value for it made from a number.
fn each_number(
    mut check: impl FnMut(
        &'static DenseMethodEntry,
        &ParameterDeclaration,
        &ParameterDeclaration,
        &dyn Fn(Value) -> Value,
    ),
) {
    for method in &METHODS {
        for declaration in method.parameters.declarations {
            match declaration.kind {
                ParameterKind::Number { .. } => check(method, declaration, declaration, &|value| value),
                ParameterKind::OneOf(choices) => {
                    for choice in choices {
                        for field in choice.fields {
                            let wrapped = |value| json!({ choice.name: { field.name: value } });
                            check(method, declaration, field, &wrapped);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_ends_of_a_range_belong_to_it_and_nothing_beyond_does() {
    let mut count = 0;
    each_number(|method, declaration, number, wrapped| {
        let ParameterKind::Number { whole, least, most, range, unit, .. } = number.kind else {
            unreachable!()
        };
        assert!(least < most, "{}", declaration.name);
        let value = |v: f64| if whole && v >= 0.0 { json!(v as u64) } else { json!(v) };
        let mut draft = DenseDraft::new(method);
        for end in [least, most] {
            draft.set(declaration.name, wrapped(value(end)), "").unwrap();
            draft.values(Dimension::Two).unwrap();
        }
        let step = if whole { 1.0 } else { 1e-6 * (most - least) };
        for beyond in
            [value(least - step), value(most + step), json!("nan"), json!(null), json!([1]), json!(-1)]
        {
            let error = draft.set(declaration.name, wrapped(beyond.clone()), "--set").unwrap_err();
            assert!(matches!(error, ParameterError::Value { .. }), "{error}");
            let text = error.to_string();
            for word in ["--set: ", declaration.name, number.name, range, unit] {
                assert!(text.contains(word), "{word} in {text}");
            }
            count += 1;
        }
        if whole {
            assert!(draft.set(declaration.name, wrapped(json!(1.5)), "").is_err());
        }
    });
    assert!(count > 100, "{count}");
}

#[test]
fn a_method_refuses_what_a_program_gives_it() {
    let good = ClgParams::default();
    let (grid, device) = (Grid::image(8, 8).unwrap(), Device::cpu(1).unwrap());
    let charbonnier = |epsilon| Penaliser::Charbonnier { epsilon };
    for (wrong, words) in [
        (ClgParams { alpha: 0.0, ..good.clone() }, "`alpha` is 0.0, expected a number from 1e-9 to 1e6"),
        (ClgParams { alpha: f32::NAN, ..good.clone() }, "`alpha` is NaN or infinite, expected a number"),
        (
            ClgParams { rho: f64::INFINITY, ..good.clone() },
            "`rho` is NaN or infinite, expected a number from 0 to 16",
        ),
        (ClgParams { warps: 0, ..good.clone() }, "`warps` is 0, expected a whole number from 1 to 1000"),
        (ClgParams { data_penaliser: charbonnier(-1.0), ..good.clone() }, "`data_penaliser.epsilon` is -1.0"),
        (
            ClgParams { median: MedianFilter::Plain { radius: 4 }, ..good.clone() },
            "`median.radius` is 4, expected a whole number from 1 to 3 voxels",
        ),
    ] {
        let error = Clg::new(&grid, wrong, &device).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // The nearest `f32` to an end of a range belongs to it as well.
    let ends = ClgParams { alpha: 1e-9, zeta: 1e-6, omega: 1.999, data_penaliser: charbonnier(1e-6), ..good };
    assert_eq!(ends.validate(), Ok(()));
}

/// A change of these numbers changes results: it belongs into the changelog. New parameters and methods need not be added.
#[test]
fn presets_have_the_values_that_results_were_published_with() {
    let golden: Map<String, Value> = serde_json::from_str(include_str!("presets.json")).unwrap();
    for (name, parameters) in &golden {
        let method = declared().find(|method| method.method == name).unwrap();
        for (parameter, published) in parameters.as_object().unwrap() {
            let own = (method.presets.iter()).flat_map(|preset| {
                DIMENSIONS.map(|(dimension, suffix)| {
                    let values = method.preset(preset.name, dimension).unwrap();
                    (format!("{} {suffix}", preset.name), values[parameter].clone())
                })
            });
            let own = Value::Object(own.collect());
            assert_eq!(&own, published, "{name} {parameter}");
        }
    }
}

#[test]
fn every_preset_keeps_its_own_ranges() {
    for method in declared() {
        for (preset, (dimension, _)) in method.presets.iter().flat_map(|p| DIMENSIONS.map(|d| (p, d))) {
            let values = method.preset(preset.name, dimension).unwrap();
            let names: Vec<_> = method.declarations.iter().map(|d| d.name).collect();
            assert!(values.len() == names.len() && names.iter().all(|name| values.contains_key(*name)));
            for declaration in method.declarations {
                declaration.check(&values[declaration.name], "").unwrap();
            }
        }
    }
}

#[test]
fn every_word_can_be_set_and_gives_the_value_of_its_name() {
    for method in &METHODS {
        for declaration in method.parameters.declarations {
            let ParameterKind::OneOf(choices) = declaration.kind else { continue };
            for choice in choices.iter().filter(|choice| choice.fields.is_empty()) {
                let mut draft = DenseDraft::new(method);
                draft.set(declaration.name, choice.name.into(), "").unwrap();
                assert_eq!(draft.values(Dimension::Two).unwrap()[declaration.name], choice.name);
            }
            for wrong in [
                json!("magic"),
                json!(1),
                json!({ choices[0].name: {} }),
                json!({}),
                json!({ "magic": { "x": 1 } }),
            ] {
                let error = declaration.check(&wrong, "--set").unwrap_err().to_string();
                assert!(choices.iter().all(|choice| error.contains(choice.name)), "{error}");
            }
        }
    }
    let mut draft = DenseDraft::named("clg").unwrap();
    for wrong in [
        json!("charbonnier"),
        json!({ "charbonnier": { "epsilon": 1, "x": 1 } }),
        json!({ "charbonnier": { "eps": 1 } }),
    ] {
        let error = draft.set("data_penaliser", wrong, "").unwrap_err().to_string();
        assert!(
            error.ends_with(
                "expected quadratic or { charbonnier = { epsilon = a number from 1e-6 to 1000 } }"
            ),
            "{error}"
        );
    }
}

#[test]
fn names_that_are_not_are_answered_with_the_nearest_or_the_owner() {
    let mut clg = DenseDraft::named("clg").unwrap();
    let mut answer = |name: &str| clg.set(name, json!(1), "a.toml, line 3").unwrap_err().to_string();
    let text = answer("alfa");
    assert_eq!(text, "a.toml, line 3: clg has no parameter `alfa`, the nearest is `alpha`");
    assert!(answer("warp_tolerance").contains("`warp_tol`"));
    assert!(!answer("0123456789").contains("nearest"));
    let text = answer("tau_l");
    assert!(text.ends_with("clg has no parameter `tau_l`, which belongs to phase"), "{text}");
    let text = DenseDraft::named("magic").unwrap_err().to_string();
    let [others @ .., last] = METHODS.each_ref().map(DenseMethodEntry::name);
    let known = format!("{} or {last}", others.join(", "));
    assert_eq!(text, format!("parameter `method` is magic, expected {known}"));
    let text = clg.set_preset("best").unwrap_err().to_string();
    assert_eq!(
        text,
        "clg: parameter `preset` is best, expected accurate, fast, realtime, ultrafast, paper, paper-literal, cine or cine-apart"
    );
    let text = clg.build::<PhaseParameters>(Dimension::Two).unwrap_err().to_string();
    assert_eq!(text, "parameter `method` is clg, expected phase");
}

#[test]
fn settings_go_over_the_preset_and_the_last_one_counts() {
    let mut draft = DenseDraft::named("clg").unwrap();
    draft.set_preset("fast").unwrap();
    draft.set("alpha", json!(0.5), "").unwrap();
    draft.set("alpha", json!(1), "").unwrap();
    for (dimension, _) in DIMENSIONS {
        let expected = ClgParams { alpha: 1.0, ..ClgParams::preset_named("fast", dimension).unwrap() };
        assert_eq!(draft.build::<ClgParams>(dimension), Ok(expected));
    }
    let base = ClgParams { rho: 3.0, ..ClgParams::default() };
    assert_eq!(draft.over(&base), Ok(ClgParams { alpha: 1.0, ..base }));
    assert!(draft.over(&ClgParams { rho: -3.0, ..ClgParams::default() }).is_err());
}

#[test]
fn declarations_say_what_a_person_and_a_stub_need() {
    let sentence = |text: &str| {
        assert!(text.len() > 3 && !text.starts_with(' ') && text.ends_with('.'), "{text}");
    };
    for method in declared() {
        let schema = method.schema();
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.len(), method.declarations.len());
        for declaration in method.declarations {
            sentence(declaration.meaning);
            let property = &properties[declaration.name];
            assert_eq!(property["description"], declaration.meaning);
            let presets = property["x-presets"].as_object().unwrap();
            assert_eq!(presets.len(), method.presets.len());
            assert!(presets.values().all(|values| values.as_array().unwrap().len() == 2));
            match declaration.kind {
                ParameterKind::Number { whole, least, .. } => {
                    assert_eq!(property["type"], if whole { "integer" } else { "number" });
                    assert_eq!(property["minimum"], least);
                }
                ParameterKind::OneOf(choices) => {
                    choices.iter().for_each(|choice| sentence(choice.meaning));
                    assert_eq!(property["oneOf"].as_array().unwrap().len(), choices.len());
                }
            }
        }
    }
    let alpha = &METHODS[0].parameters.schema()["properties"]["alpha"];
    assert_eq!((&alpha["x-symbol"], &alpha["x-presets"]["fast"]), (&json!("α"), &json!([0.4, 0.08])));
}
