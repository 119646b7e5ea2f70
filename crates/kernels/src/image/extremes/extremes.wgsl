// The least and the greatest finite sample of each workgroup's stretch. The contract is in mod.rs. Needs line.wgsl.

const LARGEST: f32 = 3.4028234e38;

// Of each thread: least, greatest, and 1 where a sample is not finite.
var<workgroup> found: array<vec3<f32>, 256>;

fn both(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(min(a.x, b.x), max(a.y, b.y), max(a.z, b.z));
}

@compute @workgroup_size(256)
fn extremes(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var own = vec3<f32>(LARGEST, -LARGEST, 0.0);
    let items = own_items(group.x, groups.x, block.count);
    for (var i = items.x + lane; i < items.y; i = i + LINE) {
        let sample = image[i];
        // Exponent bits that are all 1 are those of NaN and of infinities.
        if ((bitcast<u32>(sample) & 0x7f800000u) == 0x7f800000u) {
            own.z = 1.0;
        } else {
            own = both(own, vec3<f32>(sample, sample, 0.0));
        }
    }
    found[lane] = own;
    workgroupBarrier();
    for (var step = 128u; step > 0u; step = step / 2u) {
        if (lane < step) {
            found[lane] = both(found[lane], found[lane + step]);
        }
        workgroupBarrier();
    }
    if (lane < 3u) {
        sums[3u * group.x + lane] = found[0][lane];
    }
}
