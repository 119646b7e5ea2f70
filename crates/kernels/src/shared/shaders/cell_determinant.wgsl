// Bounds of the determinant of a map between voxels; the same as cell_determinant.rs. The kernel defines COMPONENTS and
// `field_at(i)`, the displacement at a voxel, in voxels.

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
fn least_coefficient(own: u32, strides: vec3<u32>, limits: vec4<f32>) -> f32 {
    var least = NO_FOLD;
    for (var which = 0u; which < u32(limits.y); which = which + 1u) {
        let powers = vec3<u32>(which % 3u, (which / 3u) % 3u, which / 9u);
        let is_shared = powers == vec3<u32>(1u);
        var sum = 0.0;
        var count = 0.0;
        for (var choice = 0u; choice < u32(limits.z); choice = choice + 1u) {
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

// The lower bound of the determinant in the cell between a voxel and the next ones. `limits` are those of
// cell_determinant.rs.
fn least_in_cell(own: u32, strides: vec3<u32>, limits: vec4<f32>) -> f32 {
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
    if (sure > 0.0 && sure * sure * sure > limits.x) {
        return NO_FOLD;
    }
    return least_coefficient(own, strides, limits);
}
