// Quantiles by radix search: counts the digits of the samples' keys, chooses the digits of the keys sought, and finds
// the first sample that is not finite. The contract is in mod.rs.

override WEIGHTED: u32 = 0u;

var<workgroup> own: array<atomic<u32>, 512>;

// An integer key with the same order as the samples.
fn key_of(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

@compute @workgroup_size(256)
fn count_digits(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    atomicStore(&own[lane], 0u);
    atomicStore(&own[lane + 256u], 0u);
    workgroupBarrier();
    let first_key = found[0];
    let second_key = found[1];
    // A mask of the digits above this one. For the first digit it is 0, because a shift by 32 would be undefined.
    let above = select(0xffffffffu << (block.shift + 8u), 0u, block.shift == 24u);
    for (var k = id.x; k < block.count; k = k + groups.x * LINE) {
        let i = k * block.step;
        var counts_here = true;
        if (WEIGHTED == 1u) {
            counts_here = weight[i] > 0.0;
        }
        if (counts_here) {
            let key = key_of(image[i]);
            let digit = (key >> block.shift) & 255u;
            if ((key & above) == first_key) {
                atomicAdd(&own[digit], 1u);
            }
            if ((key & above) == second_key) {
                atomicAdd(&own[digit + 256u], 1u);
            }
        }
    }
    workgroupBarrier();
    for (var d = lane; d < 512u; d = d + 256u) {
        let here = atomicLoad(&own[d]);
        if (here > 0u) {
            atomicAdd(&counts[block.first_count + d], here);
        }
    }
}

// The rank of a share; the same as in mod.rs.
fn rank_of(share: u32, count: u32) -> u32 {
    let last = count - 1u;
    return (last / 1000u) * share + ((last % 1000u) * share + 500u) / 1000u;
}

// Chooses the next digit of both keys from the counts of its values.
@compute @workgroup_size(256)
fn choose_digits(@builtin(local_invocation_index) lane: u32) {
    atomicStore(&own[lane], atomicLoad(&counts[block.first_count + lane]));
    atomicStore(&own[lane + 256u], atomicLoad(&counts[block.first_count + lane + 256u]));
    workgroupBarrier();
    if (lane < 2u) {
        var rank = found[2u + lane];
        if (block.shift == 24u) {
            var total = 0u;
            for (var d = 0u; d < 256u; d = d + 1u) {
                total = total + atomicLoad(&own[d]);
            }
            rank = rank_of(select(block.second_share, block.first_share, lane == 0u), max(total, 1u));
            if (lane == 0u) {
                found[4] = total;
            }
        }
        let base = 256u * lane;
        var digit = 0u;
        for (var d = 0u; d < 255u; d = d + 1u) {
            let here = atomicLoad(&own[base + d]);
            // Once the digit is found, the condition is false for all further values.
            if (d == digit && rank >= here) {
                rank = rank - here;
                digit = d + 1u;
            }
        }
        found[lane] = found[lane] | (digit << block.shift);
        found[2u + lane] = rank;
    }
}

@compute @workgroup_size(256)
fn first_unknown(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < block.count; i = i + groups.x * LINE) {
        var unknown = !is_finite(image[i]);
        if (WEIGHTED == 1u) {
            unknown = unknown && weight[i] > 0.0;
        }
        if (unknown) {
            atomicMax(&counts[0], block.count - i);
        }
    }
}
