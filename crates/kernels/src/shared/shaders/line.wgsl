// The index of a thread's item in a line of items, one item per thread. The rows of workgroups follow each other
// (gpu::line in Rust).
const LINE: u32 = 256u;

fn line_index(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.y * groups.x * LINE + id.x;
}
