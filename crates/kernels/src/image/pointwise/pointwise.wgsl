// Operations on single samples. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
override OPERATION: u32 = 0u;

@compute @workgroup_size(256)
fn multiply(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        out[i] = out[i] * input[i];
    }
}

@compute @workgroup_size(256)
fn mix_samples(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        let old = out[i];
        let other = input[i];
        let mixed = old + block.a * (other - old);
        out[i] = select(select(mixed, other, is_nan(old)), old, is_nan(other));
    }
}

@compute @workgroup_size(256)
fn mix_by_voxel(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        let share = shares[i];
        if (share != 1.0) {
            let old = out[i];
            out[i] = old + (1.0 - share) * (input[i] - old);
        }
    }
}

// The new value of a sample; OPERATION is the index of the operation in mod.rs.
fn operated(v: f32) -> f32 {
    if (OPERATION == 0u) {
        return block.a;
    }
    if (OPERATION == 4u) {
        return select(v, block.a, is_nan(v));
    }
    let mapped = block.a * v + block.b;
    if (OPERATION == 1u) {
        return select(0.0, mapped, is_finite(mapped));
    }
    if (OPERATION == 2u) {
        return select(mapped, v, is_nan(v));
    }
    // NaN becomes the smallest value allowed.
    return logarithm_of_one_plus(select(v, -0.95, is_nan(v) || v < -0.95));
}

@compute @workgroup_size(256)
fn in_place(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        out[i] = operated(out[i]);
        if (COMPONENTS > 1u) {
            out_y[i] = operated(out_y[i]);
        }
        if (COMPONENTS > 2u) {
            out_z[i] = operated(out_z[i]);
        }
    }
}

fn length2_at(i: u32) -> f32 {
    var length2 = out[i] * out[i] + out_y[i] * out_y[i];
    if (COMPONENTS == 3u) {
        length2 = length2 + out_z[i] * out_z[i];
    }
    return length2;
}

@compute @workgroup_size(256)
fn norm2(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    let own = own_items(group.x, groups.x, block.count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        sum = sum + length2_at(i);
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}

@compute @workgroup_size(256)
fn count_known(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    let own = own_items(group.x, groups.x, block.count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        sum = sum + select(1.0, 0.0, is_nan(input[i]));
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}

@compute @workgroup_size(256)
fn clip_length(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var sum = 0.0;
    let own = own_items(group.x, groups.x, block.count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let length = sqrt(length2_at(i));
        if (length > block.a) {
            let shrink = block.a / length;
            out[i] = out[i] * shrink;
            out_y[i] = out_y[i] * shrink;
            if (COMPONENTS == 3u) {
                out_z[i] = out_z[i] * shrink;
            }
        }
        sum = sum + min(length, block.a);
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}
