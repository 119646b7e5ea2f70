use super::*;
use crate::read::reading::Strictness;
use crate::zarr::store::Folder;
use serde_json::json;
use std::path::Path;
use veloxel_core::Warnings;

fn both_ways(value: Value) -> Result<Option<Transformation>> {
    let mut warnings = Warnings::new();
    let context = Context::new(Path::new("a.zarr"), Strictness::Lenient, &mut warnings);
    let store = Store::Folder(Folder::own(Path::new("a.zarr")));
    let parser = Parser { store: &store, node: "", context: &context };
    parser.parse(Fields { value: &value, name: "zarr.json" }, 2)
}

fn parse(value: Value) -> Result<Option<Linear>> {
    Ok(both_ways(value)?.map(|parsed| parsed.forward))
}

#[test]
fn a_sequence_is_its_parts_one_after_the_other() {
    let scale = json!({"type": "scale", "scale": [2, 3]});
    let shift = json!({"type": "translation", "translation": [10, 20]});
    let turn = json!({"type": "rotation", "rotation": [[0, 1], [-1, 0]]});
    let all = json!({"type": "sequence", "transformations": [scale, shift, turn]});
    let all = both_ways(all).unwrap().unwrap();
    assert_eq!(all.forward.matrix, [[0.0, 3.0], [-2.0, 0.0]]);
    assert_eq!(all.forward.offset, [20.0, -10.0]);
    assert_eq!(all.inverse.unwrap().apply(&[23.0, -12.0]), [1.0, 1.0]);
    let affine = json!({"type": "affine", "affine": [[0, 3, 20], [-2, 0, -10]]});
    assert_eq!(parse(affine).unwrap().unwrap(), all.forward);
    let swapped = parse(json!({"type": "mapAxis", "mapAxis": [1, 0]})).unwrap().unwrap();
    assert_eq!(swapped.matrix, [[0.0, 1.0], [1.0, 0.0]]);
}

#[test]
fn parts_by_dimension_and_bijections_go_both_ways() {
    let swap = json!({"type": "byDimension", "transformations": [
        {"transformation": {"type": "scale", "scale": [10]}, "input_axes": [0], "output_axes": [1]},
        {"type": "translation", "translation": [5], "input_axes": [1], "output_axes": [0]}]});
    let found = both_ways(swap).unwrap().unwrap();
    assert_eq!(found.forward.apply(&[1.0, 2.0]), [7.0, 10.0]);
    assert_eq!(found.inverse.unwrap().apply(&[7.0, 10.0]), [1.0, 2.0]);
    let both = json!({"type": "bijection", "forward": {"type": "translation", "translation": [1, 1]},
        "inverse": {"type": "translation", "translation": [10, 10]}});
    let list = json!({"type": "sequence", "transformations": [both, {"type": "scale", "scale": [2, 2]}]});
    let found = both_ways(list).unwrap().unwrap();
    assert_eq!(found.forward.apply(&[1.0, 2.0]), [4.0, 6.0]);
    assert_eq!(found.inverse.unwrap().apply(&[4.0, 6.0]), [12.0, 13.0]);
    let down = json!({"type": "sequence", "transformations": [
        {"type": "affine", "affine": [[1, 0, 0], [0, 1, 0], [1, 1, 5]]}, {"type": "scale", "scale": [1, 1, 2]}]});
    let found = both_ways(down).unwrap().unwrap();
    assert_eq!((found.forward.apply(&[1.0, 2.0]), found.inverse), (vec![1.0, 2.0, 16.0], None));
}

#[test]
fn other_numbers_of_axes_are_refused() {
    let part = |from: Value, to: Value| json!({"type": "identity", "input_axes": from, "output_axes": to});
    let deep = (0..20).fold(
        json!({"type": "identity"}),
        |inner, _| json!({"type": "sequence", "transformations": [inner]}),
    );
    for wrong in [
        json!({"type": "scale", "scale": [2]}),
        json!({"type": "scale", "scale": [2, "3"]}),
        json!({"type": "affine", "affine": [[1, 0], [0, 1]]}),
        json!({"type": "affine", "affine": []}),
        json!({"type": "rotation", "rotation": [[1, 0, 0], [0, 1, 0]]}),
        json!({"type": "mapAxis", "mapAxis": [1, 2]}),
        json!({"type": "byDimension", "transformations": [part(json!([0]), json!([2]))]}),
        json!({"type": "byDimension", "transformations": [part(json!([0]), json!([0, 1]))]}),
        json!({"type": "byDimension", "transformations": [part(json!([0]), json!([0])), part(json!([1]), json!([0]))]}),
        json!({"type": "byDimension", "transformations": [part(json!(["y"]), json!([0]))]}),
        json!({"type": "bijection", "forward": {"type": "identity"}}),
        json!({"type": "affine", "path": "nothing"}),
        json!({"type": "affine", "path": "../outside"}),
        json!({"scale": [2, 3]}),
        deep,
    ] {
        assert!(parse(wrong.clone()).is_err(), "{wrong}");
    }
    assert_eq!(parse(json!({"type": "displacements", "path": "0"})).unwrap(), None);
    let nested =
        json!({"type": "bijection", "forward": {"type": "displacements"}, "inverse": {"type": "identity"}});
    assert_eq!(parse(nested).unwrap(), None);
}
