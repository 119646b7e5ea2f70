// Sweeps of a picture in chequered order, without volume term, several at once. A workgroup holds a tile, and a voxel more on every
// side for each pass, in its own memory, and the other data of a voxel in the registers of its thread. What lies around the tile
// goes wrong from the outside inwards, a voxel a pass, and is not written. A thread has pairs of voxels beside each other, of which a
// pass updates one, so that no thread rests.

const TILE: vec2<u32> = vec2<u32>(32u, 16u);
// Voxels around a tile: two for each of four sweeps at most.
const AROUND: u32 = 8u;
const WIDE: u32 = 48u;
const HIGH: u32 = 32u;
const THREADS: u32 = 384u;
// Pairs of a row, and of a thread.
const PAIRS: u32 = 24u;
const EACH: u32 = 2u;

// What is held, after a row and a voxel of zeros, and before as many. Outside of the grid it is 0.
const BEFORE: u32 = 49u;
var<workgroup> field: array<vec2<f32>, 1634>;

fn field_at(i: u32) -> Three {
    return Three(field[i].x, field[i].y, 0.0);
}

// The voxel of a place of the tile and what lies around it; z is 1 outside of the grid.
fn voxel_of(place: u32, group: vec2<u32>) -> vec3<u32> {
    let at = group * TILE + vec2<u32>(place % WIDE, place / WIDE);
    let is_inside = all(at >= vec2<u32>(AROUND)) && all(at < block.size.xy + vec2<u32>(AROUND));
    return vec3<u32>(at - vec2<u32>(AROUND), select(1u, 0u, is_inside));
}

// The place of the voxel of a colour in a thread's pair.
fn place_of(lane: u32, pair: u32, colour: u32) -> u32 {
    let nth = lane + pair * THREADS;
    let row = nth / PAIRS;
    return row * WIDE + 2u * (nth % PAIRS) + ((row + colour) & 1u);
}

@compute @workgroup_size(384)
fn relax_tile(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    // Of the first pair the voxel of either colour, then of the second: springs to the neighbours along x (`along`) and along y
    // (`across`), 0 beyond the border.
    var along: array<vec2<f32>, 4>;
    var across: array<vec4<f32>, 4>;
    var inverse: array<Symmetric, 4>;
    var rhs: array<Three, 4>;
    var is_inside: array<bool, 4>;
    for (var k = 0u; k < 2u * EACH; k = k + 1u) {
        let place = place_of(lane, k / 2u, k % 2u);
        let v = voxel_of(place, group.xy);
        is_inside[k] = v.z == 0u;
        field[BEFORE + place] = vec2<f32>(0.0);
        if (v.z == 0u) {
            let i = index_of(v);
            along[k] = springs_along(v);
            across[k] = springs_across(v);
            inverse[k] = inverse_of(tensor_at(i), pull_at(v).diag);
            rhs[k] = rhs_at(i);
            let start = x_at(i);
            field[BEFORE + place] = vec2<f32>(start.a, start.b);
        }
    }
    if (lane < BEFORE) {
        field[lane] = vec2<f32>(0.0);
        field[BEFORE + WIDE * HIGH + lane] = vec2<f32>(0.0);
    }
    workgroupBarrier();
    for (var sweep = 0u; sweep < block.sweeps; sweep = sweep + 1u) {
        for (var colour = 0u; colour < 2u; colour = colour + 1u) {
            for (var k = colour; k < 2u * EACH; k = k + 2u) {
                if (is_inside[k]) {
                    // Beyond the border the neighbour is 0, and so is its weight; at the edge of what is held it is any.
                    let i = BEFORE + place_of(lane, k / 2u, colour);
                    let own = field_at(i);
                    let front = field_at(i - WIDE);
                    let back = field_at(i + WIDE);
                    let left = vec3<f32>(field[i - 1u], 0.0);
                    let right = vec3<f32>(field[i + 1u], 0.0);
                    let beside = add_across(rhs[k], across[k], Across(front, back, front, back));
                    let sum = add_along(beside, own, along[k], left, right);
                    let next = relaxed(own, inverse[k], sum, block.omega);
                    field[i] = vec2<f32>(next.a, next.b);
                }
            }
            workgroupBarrier();
        }
    }
    for (var place = lane; place < WIDE * HIGH; place = place + THREADS) {
        let v = voxel_of(place, group.xy);
        let at = vec2<u32>(place % WIDE, place / WIDE);
        if (v.z == 0u && all(at >= vec2<u32>(AROUND)) && all(at < TILE + vec2<u32>(AROUND))) {
            out0[index_of(v)] = field[BEFORE + place].x;
            out1[index_of(v)] = field[BEFORE + place].y;
        }
    }
}
