// The input of the motion tensor: the pairs of images, their derivatives, and the products at a voxel. `along_y.wgsl`,
// `picture.wgsl` or `mismatch.wgsl` follows this part.

override COMPONENTS: u32 = 3u;
override PAIRS: u32 = 1u;
override WEIGHTED: u32 = 0u;
// Derivatives: 0: forward differences of the fixed image; 1: central differences of the mean of both; 2: means of the fixed
// image's forward differences of both sides.
override SCHEME: u32 = 1u;
override NORMALISED: u32 = 0u;

fn fixed_at(pair: u32, i: u32) -> f32 {
    if (pair == 0u) {
        return fixed_0[i];
    }
    if (pair == 1u) {
        return fixed_1[i];
    }
    return fixed_2[i];
}

fn warped_at(pair: u32, i: u32) -> f32 {
    if (pair == 0u) {
        return warped_0[i];
    }
    if (pair == 1u) {
        return warped_1[i];
    }
    return warped_2[i];
}

// Twice the mean of both images; twice the fixed one where the warped one has no data.
fn twice_mean(fixed: f32, warped: f32) -> f32 {
    return fixed + select(warped, fixed, is_nan(warped));
}

fn both(pair: u32, i: u32) -> f32 {
    return twice_mean(fixed_at(pair, i), warped_at(pair, i));
}

// Index offsets of the neighbours along an axis: two before, one before, one after, two after. At the border the
// nearest voxel inside takes the place of one outside.
fn steps(at: u32, count: u32, stride: u32) -> vec4<u32> {
    let before = select(0u, stride, at > 0u);
    let after = select(0u, stride, at + 1u < count);
    let far_before = before + select(0u, stride, at > 1u);
    let far_after = after + select(0u, stride, at + 2u < count);
    return vec4<u32>(0u - far_before, 0u - before, after, far_after);
}

// The finite difference along an axis at voxel `i`, without its factor.
fn differ(pair: u32, i: u32, to: vec4<u32>) -> f32 {
    if (SCHEME == 0u) {
        return fixed_at(pair, i + to.z) - fixed_at(pair, i);
    }
    if (SCHEME == 2u) {
        return fixed_at(pair, i + to.z) - fixed_at(pair, i + to.y);
    }
    return both(pair, i + to.x) - both(pair, i + to.w) + 8.0 * (both(pair, i + to.z) - both(pair, i + to.y));
}

// Offsets of a voxel's neighbours along x and z.
struct Around {
    x: vec4<u32>,
    z: vec4<u32>,
}

fn around(x: u32, z: u32) -> Around {
    let size = block.size;
    return Around(steps(x, size.x, 1u), steps(z, size.z, size.x * size.y));
}

// The channels of a voxel: the first four, the next four (3-D), and the rest with tt.
struct Channels {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec2<f32>,
}

// The products at voxel `i`. `difference` is warped − fixed, NaN outside; `over` holds the differences along the axes.
fn products(i: u32, difference: f32, over: vec3<f32>) -> Channels {
    let g = block.gain.xyz * over;
    var scale = 1.0;
    if (WEIGHTED == 1u) {
        scale = weight[i];
    }
    if (NORMALISED == 1u) {
        var length2 = block.gain.w + g.x * g.x + g.y * g.y;
        if (COMPONENTS == 3u) {
            length2 = length2 + g.z * g.z;
        }
        scale = scale / length2;
    }
    let outside = is_nan(difference);
    scale = select(scale, 0.0, outside);
    let by = select(difference, 0.0, outside);
    let weighted = scale * g;
    let tt = scale * by * by;
    if (COMPONENTS == 2u) {
        return Channels(
            vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.y * g.y, -weighted.x * by),
            vec4<f32>(0.0),
            vec2<f32>(-weighted.y * by, tt),
        );
    }
    return Channels(
        vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.x * g.z, weighted.y * g.y),
        vec4<f32>(weighted.y * g.z, weighted.z * g.z, -weighted.x * by, -weighted.y * by),
        vec2<f32>(-weighted.z * by, tt),
    );
}

fn sum_of(m: Channels, n: Channels) -> Channels {
    return Channels(m.a + n.a, m.b + n.b, m.c + n.c);
}

fn over_z(pair: u32, i: u32, to: Around) -> f32 {
    if (COMPONENTS == 3u) {
        return differ(pair, i, to.z);
    }
    return 0.0;
}

fn products_at(pair: u32, i: u32, to: Around, to_y: vec4<u32>) -> Channels {
    let over = vec3<f32>(differ(pair, i, to.x), differ(pair, i, to_y), over_z(pair, i, to));
    return products(i, warped_at(pair, i) - fixed_at(pair, i), over);
}

// The products at voxel `i`, with all samples loaded from the images.
fn all_products(i: u32, to: Around, y: u32) -> Channels {
    let to_y = steps(y, block.size.y, block.size.x);
    var sum = products_at(0u, i, to, to_y);
    if (PAIRS > 1u) {
        sum = sum_of(sum, products_at(1u, i, to, to_y));
    }
    if (PAIRS > 2u) {
        sum = sum_of(sum, products_at(2u, i, to, to_y));
    }
    return sum;
}
