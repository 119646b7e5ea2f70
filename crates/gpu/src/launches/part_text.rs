//! WGSL whose launches do a part of the workgroups each.

/// Bytes of the immediate data of such a launch: its first workgroup and the number of workgroups of all, each as three words
/// and a fourth that means nothing.
pub(crate) const PART_BYTES: u32 = 32;

const DECLARATION: &str = "
struct LaunchPart { first: vec3<u32>, all: vec3<u32> }
var<immediate> launch_part: LaunchPart;
";

/// The immediate data of a launch.
pub(crate) fn part_bytes(first: [u32; 3], all: [u32; 3]) -> [u8; PART_BYTES as usize] {
    let words = [first[0], first[1], first[2], 0, all[0], all[1], all[2], 0];
    bytemuck::cast(words)
}

/// The text with an entry point whose workgroups count from the first one of its part; `None` if there is no such entry point,
/// or if its inputs are not plain.
///
/// ```text
/// fn add(@builtin(workgroup_id) group: vec3<u32>) {            fn add(@builtin(workgroup_id) group_of_part: vec3<u32>) {
///                                                    becomes       let group = group_of_part + launch_part.first;
/// ```
pub(crate) fn in_parts(wgsl: &str, entry: &str) -> Option<String> {
    let begin = wgsl.find(&format!("fn {entry}("))? + "fn ".len() + entry.len() + 1;
    let attributes = &wgsl[..begin];
    let size = &attributes[attributes.rfind("@workgroup_size(")? + "@workgroup_size(".len()..];
    let mut size: Vec<&str> = size[..size.find(')')?].split(',').map(str::trim).collect();
    size.resize(3, "1u");
    let end = begin + wgsl[begin..].find(") {")?;
    let (mut inputs, mut body) = (Vec::new(), String::new());
    let arguments = wgsl[begin..end].split("@builtin(").map(str::trim).filter(|text| !text.is_empty());
    for argument in arguments {
        let (kind, rest) = argument.split_once(')')?;
        let (name, type_) = rest.split_once(':')?;
        let (name, type_) = (name.trim(), type_.trim().trim_end_matches(','));
        let value = match kind {
            "workgroup_id" => Some(format!("{name}_of_part + launch_part.first")),
            "global_invocation_id" => {
                Some(format!("{name}_of_part + launch_part.first * vec3<u32>({})", size.join(", ")))
            }
            "num_workgroups" => Some("launch_part.all".to_owned()),
            _ => None,
        };
        let own = if value.is_some() { "_of_part" } else { "" };
        inputs.push(format!("@builtin({kind}) {name}{own}: {type_}"));
        body.extend(value.map(|value| format!("\n    let {name} = {value};")));
    }
    let after = end + ") {".len();
    Some(format!("{DECLARATION}{}{}) {{{body}{}", &wgsl[..begin], inputs.join(", "), &wgsl[after..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_count_from_the_first_workgroup() {
        let wgsl = "override WIDTH: u32 = 8u;
            @compute @workgroup_size(WIDTH, 4)
            fn add(
                @builtin(global_invocation_id) id: vec3<u32>,
                @builtin(local_invocation_index) lane: u32,
                @builtin(num_workgroups) groups: vec3<u32>,
            ) {
                out[id.x] = lane;
            }";
        let text = in_parts(wgsl, "add").unwrap();
        for part in [
            "@builtin(global_invocation_id) id_of_part: vec3<u32>, @builtin(local_invocation_index) lane: u32, ",
            "let id = id_of_part + launch_part.first * vec3<u32>(WIDTH, 4, 1u);",
            "let groups = launch_part.all;",
            "out[id.x] = lane;",
        ] {
            assert!(text.contains(part), "{part} should stand in {text}");
        }
        assert_eq!(in_parts(wgsl, "subtract"), None);
    }

    #[test]
    fn immediate_data_lie_as_wgsl_lays_them_out() {
        let bytes = part_bytes([1, 2, 3], [4, 5, 6]);
        assert_eq!(bytemuck::cast::<_, [u32; 8]>(bytes), [1, 2, 3, 0, 4, 5, 6, 0]);
    }
}
