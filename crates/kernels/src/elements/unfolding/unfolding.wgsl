// Local step control. The contract is in mod.rs.

fn control(component: u32, at: u32) -> f32 {
    return 0.0;
}

fn field_at(i: u32) -> vec3<f32> {
    var d = vec3<f32>(field_x[i], field_y[i], 0.0);
    if (COMPONENTS == 3u) {
        d.z = field_z[i];
    }
    return d;
}

// Of what cannot fold, or is no cell.
const NO_FOLD: f32 = 3.0e38;

// det(I + the columns).
fn determinant_of(x: vec3<f32>, y: vec3<f32>, z: vec3<f32>) -> f32 {
    let a = 1.0 + x.x;
    let e = 1.0 + y.y;
    if (COMPONENTS == 2u) {
        return a * e - y.x * x.y;
    }
    let i = 1.0 + z.z;
    let first_part = e * i - z.y * y.z;
    let second_part = x.y * i - z.y * x.z;
    let third_part = x.y * y.z - e * x.z;
    return a * first_part - y.x * second_part + z.x * third_part;
}

// The difference along an edge; none along an axis of one pixel.
fn edge(low: u32, stride: u32) -> vec3<f32> {
    var along = vec3<f32>();
    if (stride > 0u) {
        along = field_at(low + stride) - field_at(low);
    }
    return along;
}

fn longest_of(v: vec3<f32>) -> f32 {
    return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

// The least of the 27 Bernstein coefficients of a trilinear map's determinant: each is a mean of determinants of edges.
fn least_coefficient(own: u32, strides: vec3<u32>) -> f32 {
    var least = NO_FOLD;
    for (var which = 0u; which < u32(block.least.y); which = which + 1u) {
        let powers = vec3<u32>(which % 3u, (which / 3u) % 3u, which / 9u);
        let is_shared = powers == vec3<u32>(1u);
        var sum = 0.0;
        var count = 0.0;
        for (var choice = 0u; choice < u32(block.least.z); choice = choice + 1u) {
            let bits = vec3<u32>(choice & 1u, (choice >> 1u) & 1u, choice >> 2u);
            if (any(!is_shared & (bits == vec3<u32>(1u)))) {
                continue;
            }
            // An axis' power is shared by the edges along the two others.
            let one = select(powers / 2u, bits, is_shared) * strides;
            let other = select(powers / 2u, vec3<u32>(1u) - bits, is_shared) * strides;
            let x = own + one.y + one.z;
            let y = own + one.x + other.z;
            let z = own + other.x + other.y;
            let det = determinant_of(
                edge(x, strides.x),
                edge(y, strides.y),
                edge(z, strides.z),
            );
            sum = sum + det;
            count = count + 1.0;
        }
        least = min(least, sum / count);
    }
    return least;
}

// The lower bound of the determinant in the cell between a pixel and the next ones.
fn least_in_cell(own: u32, strides: vec3<u32>) -> f32 {
    if (COMPONENTS == 2u) {
        let x = vec2<u32>(own, own + strides.y);
        let y = vec2<u32>(own, own + strides.x);
        let low_x = edge(x.x, strides.x);
        let high_x = edge(x.y, strides.x);
        let low_y = edge(y.x, strides.y);
        let high_y = edge(y.y, strides.y);
        let none = vec3<f32>();
        let lower = min(determinant_of(low_x, low_y, none), determinant_of(low_x, high_y, none));
        return min(min(lower, determinant_of(high_x, low_y, none)), determinant_of(high_x, high_y, none));
    }
    var longest = 0.0;
    for (var k = 0u; k < 4u; k = k + 1u) {
        let low = k & 1u;
        let high = k >> 1u;
        let x = own + low * strides.y + high * strides.z;
        let y = own + low * strides.x + high * strides.z;
        let z = own + low * strides.x + high * strides.y;
        longest = max(longest, longest_of(edge(x, strides.x)));
        longest = max(longest, longest_of(edge(y, strides.y)));
        longest = max(longest, longest_of(edge(z, strides.z)));
    }
    let sure = 1.0 - 3.0 * longest;
    if (sure > 0.0 && sure * sure * sure > block.least.x) {
        return NO_FOLD;
    }
    return least_coefficient(own, strides);
}

@compute @workgroup_size(256)
fn least_determinant(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let size = block.lattice.size;
    var strides = vec3<u32>(1u, size.x, size.x * size.y);
    strides = select(vec3<u32>(), strides, size.xyz > vec3<u32>(1u));
    var folds = 0.0;
    for (var i = group.x * LINE + lane; i < size.w; i = i + block.lattice.counts.y * LINE) {
        let at = pixel_at(i);
        var is_last = (at + vec3<u32>(1u) == size.xyz) & (size.xyz > vec3<u32>(1u));
        is_last.z = is_last.z && COMPONENTS == 3u;
        var least = NO_FOLD;
        if (!any(is_last)) {
            least = least_in_cell(problem * size.w + i, strides);
        }
        determinant[problem * size.w + i] = least;
        if (least <= block.least.x) {
            folds = folds + 1.0;
        }
    }
    let total = workgroup_sum(folds, lane);
    if (lane == 0u) {
        folds_of_groups[problem * block.lattice.counts.y + group.x] = total;
    }
}

// The cells with a corner in the elements of a control point's node: they are named by their first corner.
fn around(pixels: vec4<u32>) -> vec2<u32> {
    let begin = select(pixels.z, pixels.x, pixels.y > pixels.x);
    return vec2<u32>(max(begin, 1u) - 1u, max(pixels.y, pixels.w));
}

fn folds_in(plane: u32, along_x: vec2<u32>, along_y: vec2<u32>) -> bool {
    let size = block.lattice.size;
    var folds = false;
    for (var y = along_y.x; y < along_y.y; y = y + 1u) {
        for (var x = along_x.x; x < along_x.y; x = x + 1u) {
            folds = folds || determinant[plane + y * size.x + x] <= block.least.x;
        }
    }
    return folds;
}

@compute @workgroup_size(256)
fn shorten(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let size = block.lattice.size;
    let per_component = block.lattice.controls.w;
    var own_folds = 0.0;
    for (var k = lane; k < block.lattice.counts.y; k = k + LINE) {
        own_folds = own_folds + folds_of_groups[problem * block.lattice.counts.y + k];
    }
    // Where nothing folds, nobody looks around.
    let count = select(0u, per_component, workgroup_sum(own_folds, lane) > 0.0);
    let own_set = accepted_set(problem) * block.lattice.counts.x + problem;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let k = control_at(i);
        let along_x = around(support(0u, k.x));
        let along_y = around(support(1u, k.y));
        var planes = vec4<u32>(0u, 0u, 0u, 1u);
        if (AXES == 3u) {
            planes = support(2u, k.z);
        }
        if (COMPONENTS == 3u) {
            planes = vec4<u32>(0u, 0u, around(planes));
        }
        var folds = false;
        for (var z = planes.x; z < planes.y; z = z + 1u) {
            folds = folds || folds_in(problem * size.w + z * size.x * size.y, along_x, along_y);
        }
        for (var z = planes.z; z < planes.w; z = z + 1u) {
            folds = folds || folds_in(problem * size.w + z * size.x * size.y, along_x, along_y);
        }
        if (folds) {
            for (var c = 0u; c < COMPONENTS; c = c + 1u) {
                let origin = begin[(problem * COMPONENTS + c) * per_component + i];
                let at = (own_set * COMPONENTS + c) * per_component + i;
                controls[at] = origin + 0.5 * (controls[at] - origin);
            }
        }
    }
}
