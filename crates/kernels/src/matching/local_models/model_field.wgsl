// The dense field of affine models. The contract is in mod.rs. Needs exponential.wgsl, model.wgsl.

override KEPT: u32 = 0u;

fn count() -> u32 {
    return block.cells.x * block.cells.y * block.cells.z;
}

fn row_of(i: u32, component: u32) -> vec4<f32> {
    let n = count();
    let first = component * (COMPONENTS + 1u);
    var row = vec4<f32>(models[first * n + i], models[(first + 1u) * n + i], models[(first + 2u) * n + i], 0.0);
    if (COMPONENTS == 3u) {
        row.w = models[(first + 3u) * n + i];
    }
    return row;
}

// What the model of a node says of a position.
fn said(i: u32, position: vec3<f32>) -> vec3<f32> {
    let n = count();
    var start = vec3<f32>(nodes[i], nodes[n + i], 0.0);
    var model = Model(row_of(i, 0u), row_of(i, 1u), vec4<f32>(0.0));
    if (COMPONENTS == 3u) {
        start.z = nodes[2u * n + i];
        model.z = row_of(i, 2u);
    }
    return values_of(model, position - start);
}

fn weight_of(i: u32, place: vec3<u32>, position: vec3<f32>, intensity: f32) -> f32 {
    let apart = nodes[(2u * COMPONENTS + 1u) * count() + i] - intensity;
    let start = vec3<f32>(place * block.size.w);
    let steps = (start + vec3<f32>(block.scales.z) - position) * block.scales.y;
    var steps2 = steps.x * steps.x;
    steps2 = steps2 + steps.y * steps.y;
    if (COMPONENTS == 3u) {
        steps2 = steps2 + steps.z * steps.z;
    }
    var exponent = apart * apart * block.scales.x;
    exponent = exponent + block.scales.w * steps2;
    return block.least_weight + exponential(-exponent);
}

@compute @workgroup_size(32, 4)
fn model_field(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    var found = vec3<f32>(0.0);
    var is_kept = false;
    if (KEPT == 1u) {
        is_kept = kept_weight[i] > 0.5;
    }
    if (is_kept) {
        found.x = kept_x[i];
        found.y = kept_y[i];
        if (COMPONENTS == 3u) {
            found.z = kept_z[i];
        }
    } else {
        let position = vec3<f32>(id);
        let at = id / block.size.w;
        let low = at - min(at, vec3<u32>(1u));
        let high = min(at + vec3<u32>(2u), block.cells.xyz);
        var total = 0.0;
        for (var z = low.z; z < high.z; z = z + 1u) {
            for (var y = low.y; y < high.y; y = y + 1u) {
                for (var x = low.x; x < high.x; x = x + 1u) {
                    let node = (z * block.cells.y + y) * block.cells.x + x;
                    let weight = weight_of(node, vec3<u32>(x, y, z), position, image[i]);
                    total = total + weight;
                    found = found + weight * said(node, position);
                }
            }
        }
        found = found * (1.0 / total);
    }
    out_x[i] = found.x;
    out_y[i] = found.y;
    if (COMPONENTS == 3u) {
        out_z[i] = found.z;
    }
}
