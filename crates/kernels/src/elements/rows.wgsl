// Rows of pixels: a workgroup takes a tile of rows, and of each the nodes of a chunk. It sums the control points along y and z,
// then every pixel along x, and sums what the pixels say along x for every control point again (row_tiles.rs). A kernel that
// needs it defines `pixel` (what is known of a pixel at a displacement), `term` (what it adds to both sums of a control point
// of a component, by its weight), `energy_of`, and `write_sums`.

// Threads of a row, a power of two.
override ROW_LANES: u32 = 256u;
// Nodes of a chunk: with two control points of every component each, at most ROW_LANES sums.
override ROW_NODES: u32 = 64u;

// Most sums of a tile's chunk: control points of its nodes and of one node on either side.
var<workgroup> row_lines: array<f32, 384>;
var<workgroup> row_pixels: array<vec4<f32>, 256>;

// Of a component along x, at a pixel; `line` is where the component's line begins, less its first control point.
fn along_line(line: u32, x: u32) -> f32 {
    let w = weights[x];
    let at = line + first[x];
    return w.x * row_lines[at] + w.y * row_lines[at + 1u] + w.z * row_lines[at + 2u] + w.w * row_lines[at + 3u];
}

fn displacement(lines: u32, count: u32, x: u32) -> vec3<f32> {
    var u = vec3<f32>(along_line(lines, x), along_line(lines + count, x), 0.0);
    if (COMPONENTS == 3u) {
        u.z = along_line(lines + 2u * count, x);
    }
    return u;
}

// Adds the pixels `reach` of a pass that begins at `at`, and whose values begin at `values`, to both sums of a control point.
fn with_terms(start: vec2<f32>, reach: vec2<u32>, tap: u32, at: u32, component: u32, values: u32) -> vec2<f32> {
    var sums = start;
    let end = min(reach.y, at + ROW_LANES);
    for (var x = max(reach.x, at); x < end; x = x + 1u) {
        sums = sums + term(row_pixels[values + x - at], component, weights[x][tap]);
    }
    return sums;
}

// All rows of a workgroup; a thread's share of the energy. All threads must call this together.
fn project_rows(problem: u32, group: vec3<u32>, working: bool, lane: u32) -> f32 {
    let size = block.lattice.size;
    let width = block.lattice.controls.x;
    let begin_node = group.z * ROW_NODES;
    let begin = begins[max(begin_node, 1u) - 1u];
    let end = begins[min(begin_node + ROW_NODES, (width >> 1u) - 1u)];
    let owned = begins[begin_node];
    let in_tile = lane / ROW_LANES;
    let own = lane % ROW_LANES;
    let line_count = 2u * (ROW_NODES + 2u);
    let lines = in_tile * COMPONENTS * line_count;
    let component = own / (2u * ROW_NODES);
    let kx = 2u * begin_node + own % (2u * ROW_NODES);
    let gathers = component < COMPONENTS && kx < width;
    let reach = support(0u, min(kx, width - 1u));
    let side = kx & 1u;
    var energy = 0.0;
    for (var tile = group.x; tile < block.lattice.tiling.x; tile = tile + block.lattice.tiling.y) {
        let row = tile * (256u / ROW_LANES) + in_tile;
        let is_row = working && row < size.y * size.z;
        for (var i = own; i < COMPONENTS * line_count; i = i + ROW_LANES) {
            // The line begins with the node before the chunk's first.
            let k = 2u * begin_node + i % line_count;
            if (is_row && k >= 2u && k < width + 2u) {
                row_lines[lines + i] = at_row(i / line_count, k - 2u, vec2<u32>(row % size.y, row / size.y));
            }
        }
        workgroupBarrier();
        var before = vec2<f32>();
        var after = vec2<f32>();
        for (var at = begin; at < end; at = at + ROW_LANES) {
            let x = at + own;
            if (is_row && x < end) {
                let values = pixel(problem, row, x, displacement(lines + 2u - 2u * begin_node, line_count, x));
                row_pixels[lane] = values;
                if (x >= owned) {
                    energy = energy + energy_of(values);
                }
            }
            workgroupBarrier();
            if (is_row && gathers) {
                before = with_terms(before, reach.xy, 2u + side, at, component, in_tile * ROW_LANES);
                after = with_terms(after, reach.zw, side, at, component, in_tile * ROW_LANES);
            }
            workgroupBarrier();
        }
        if (is_row && gathers) {
            write_sums(problem, component, row, kx, before + after);
        }
    }
    return energy;
}
