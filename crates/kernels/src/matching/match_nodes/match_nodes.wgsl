// One match for every cell of a grid. The contract is in mod.rs.

override COMPONENTS: u32 = 2u;
// 1: members are voxels; 0: nodes.
override VOXELS: u32 = 1u;

const OWN_SHARE: f32 = 0.001;

fn members() -> u32 {
    return block.size.x * block.size.y * block.size.z;
}

fn index_of(member: vec3<u32>) -> u32 {
    return (member.z * block.size.y + member.y) * block.size.x + member.x;
}

fn weight_of(i: u32) -> f32 {
    if (VOXELS == 1u) {
        return weights[i];
    }
    return nodes[2u * COMPONENTS * members() + i];
}

fn intensity_of(i: u32) -> f32 {
    if (VOXELS == 1u) {
        return image[i];
    }
    return nodes[(2u * COMPONENTS + 1u) * members() + i];
}

fn position_of(member: vec3<u32>) -> vec3<f32> {
    if (VOXELS == 1u) {
        return vec3<f32>(member);
    }
    let i = index_of(member);
    var position = vec3<f32>(nodes[i], nodes[members() + i], 0.0);
    if (COMPONENTS == 3u) {
        position.z = nodes[2u * members() + i];
    }
    return position;
}

fn vector_of(i: u32) -> vec3<f32> {
    var vector = vec3<f32>(0.0);
    if (VOXELS == 1u) {
        vector.x = field_x[i];
        vector.y = field_y[i];
        if (COMPONENTS == 3u) {
            vector.z = field_z[i];
        }
    } else {
        vector.x = nodes[COMPONENTS * members() + i];
        vector.y = nodes[(COMPONENTS + 1u) * members() + i];
        if (COMPONENTS == 3u) {
            vector.z = nodes[(COMPONENTS + 2u) * members() + i];
        }
    }
    return vector;
}

// How far the vectors of a cell are from one of them.
fn score_of(own: vec3<f32>, low: vec3<u32>, high: vec3<u32>) -> f32 {
    var score = 0.0;
    for (var z = low.z; z < high.z; z = z + 1u) {
        for (var y = low.y; y < high.y; y = y + 1u) {
            for (var x = low.x; x < high.x; x = x + 1u) {
                let i = index_of(vec3<u32>(x, y, z));
                let weight = weight_of(i);
                if (weight > 0.0) {
                    let apart = abs(own - vector_of(i));
                    var distance = apart.x + apart.y;
                    if (COMPONENTS == 3u) {
                        distance = distance + apart.z;
                    }
                    score = score + weight * select(block.cap_vox, distance, distance < block.cap_vox);
                }
            }
        }
    }
    return score;
}

fn store(cell: u32, position: vec3<f32>, vector: vec3<f32>) {
    let count = block.cells.x * block.cells.y * block.cells.z;
    out[cell] = position.x;
    out[count + cell] = position.y;
    out[COMPONENTS * count + cell] = vector.x;
    out[(COMPONENTS + 1u) * count + cell] = vector.y;
    if (COMPONENTS == 3u) {
        out[2u * count + cell] = position.z;
        out[5u * count + cell] = vector.z;
    }
}

@compute @workgroup_size(32, 4)
fn match_nodes(@builtin(global_invocation_id) id: vec3<u32>) {
    let grid = block.cells;
    if (id.x >= grid.x || id.y >= grid.y) {
        return;
    }
    let cell = (id.z * grid.y + id.y) * grid.x + id.x;
    let count = grid.x * grid.y * grid.z;
    let low = id * block.width;
    let high = min(low + vec3<u32>(block.width), block.size.xyz);
    let per_member = 1.0 / f32((high.x - low.x) * (high.y - low.y) * (high.z - low.z));
    var least = 3.4028235e38;
    var found = vec3<u32>(0u);
    var is_found = false;
    var weight = 0.0;
    var position = vec3<f32>(0.0);
    var intensity = 0.0;
    for (var z = low.z; z < high.z; z = z + 1u) {
        for (var y = low.y; y < high.y; y = y + 1u) {
            for (var x = low.x; x < high.x; x = x + 1u) {
                let member = vec3<u32>(x, y, z);
                let i = index_of(member);
                let own = weight_of(i);
                weight = weight + own;
                position = position + position_of(member) * per_member;
                intensity = intensity + intensity_of(i) * per_member;
                if (own > 0.0) {
                    var score = score_of(vector_of(i), low, high);
                    score = score - OWN_SHARE * own;
                    if (score < least) {
                        least = score;
                        found = member;
                        is_found = true;
                    }
                }
            }
        }
    }
    if (is_found) {
        let i = index_of(found);
        store(cell, position_of(found), vector_of(i));
        intensity = intensity_of(i);
        weight = weight * per_member;
    } else {
        store(cell, position, vec3<f32>(0.0));
        weight = 0.0;
    }
    out[2u * COMPONENTS * count + cell] = weight;
    out[(2u * COMPONENTS + 1u) * count + cell] = intensity;
}
