// The index of a thread's item in a line of items, one item per thread. The rows of workgroups follow each other
// (gpu::line in Rust).
const LINE: u32 = 256u;

fn line_index(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.y * groups.x * LINE + id.x;
}

// The first item of a workgroup of a reduction, and the one after its last: an equal stretch of all `count` items, in whole
// lines. A workgroup reads one piece of memory, which lies on one GPU where several work as one.
fn own_items(group: u32, groups: u32, count: u32) -> vec2<u32> {
    let lines = (count + LINE - 1u) / LINE;
    let each = (lines + groups - 1u) / groups * LINE;
    let first = min(group * each, count);
    return vec2<u32>(first, min(first + each, count));
}
