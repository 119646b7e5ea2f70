// Bounds of the determinant of a map between voxels; the same as cell_determinant.rs. The kernel defines COMPONENTS and
// `field_at(i)`, the displacement at a voxel, in voxels.

// Of what cannot fold, or is no cell.
const NO_FOLD: f32 = 3.0e38;

// In a picture: det(I + the columns).
fn determinant_of(x: vec3<f32>, y: vec3<f32>) -> f32 {
    let a = 1.0 + x.x;
    let e = 1.0 + y.y;
    return a * e - y.x * x.y;
}

// The difference along an edge; none along an axis of one pixel.
fn edge(low: u32, stride: u32) -> vec3<f32> {
    var along = vec3<f32>();
    if (stride > 0u) {
        along = field_at(low + stride) - field_at(low);
    }
    return along;
}

fn least_in_square(own: u32, strides: vec3<u32>) -> f32 {
    let low_x = edge(own, strides.x);
    let high_x = edge(own + strides.y, strides.x);
    let low_y = edge(own, strides.y);
    let high_y = edge(own + strides.x, strides.y);
    let lower = min(determinant_of(low_x, low_y), determinant_of(low_x, high_y));
    return min(min(lower, determinant_of(high_x, low_y)), determinant_of(high_x, high_y));
}

// The same vector, whose terms no compiler may regroup with others: it does not know that a bit of the limits is 0.
fn as_written(v: vec3<f32>, limits: vec4<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(v) | vec3<u32>(bitcast<u32>(limits.z)));
}

// The product of a matrix' margins of dominance; 0 where one is not positive.
fn product_of(margins: vec3<f32>) -> f32 {
    let product = margins.x * margins.y * margins.z;
    return select(0.0, product, all(margins > vec3<f32>()));
}

// The lower bound of the determinant in the cell between a voxel and the next ones. `limits` are those of
// cell_determinant.rs.
fn least_in_cell(own: u32, strides: vec3<u32>, limits: vec4<f32>) -> f32 {
    if (COMPONENTS == 2u) {
        return least_in_square(own, strides);
    }
    var v: array<vec3<f32>, 8>;
    var sum = 0.0;
    for (var k = 0u; k < 8u; k = k + 1u) {
        v[k] = field_at(own + (k & 1u) * strides.x + ((k >> 1u) & 1u) * strides.y + (k >> 2u) * strides.z);
        sum = sum + v[k].x + v[k].y + v[k].z;
    }
    if (!(abs(sum) < NO_FOLD)) {
        return -NO_FOLD;
    }
    var x: array<vec3<f32>, 4>;
    var y: array<vec3<f32>, 4>;
    var z: array<vec3<f32>, 4>;
    var lowest = vec3<f32>(NO_FOLD);
    var most_x = vec3<f32>();
    var most_y = vec3<f32>();
    var most_z = vec3<f32>();
    for (var k = 0u; k < 4u; k = k + 1u) {
        let at_x = 2u * (k & 1u) + 4u * (k >> 1u);
        let at_y = (k & 1u) + 4u * (k >> 1u);
        x[k] = as_written(v[at_x + 1u] - v[at_x], limits);
        y[k] = as_written(v[at_y + 2u] - v[at_y], limits);
        z[k] = as_written(v[k + 4u] - v[k], limits);
        most_x = max(most_x, abs(x[k]));
        most_y = max(most_y, abs(y[k]));
        most_z = max(most_z, abs(z[k]));
        x[k].x = 1.0 + x[k].x;
        y[k].y = 1.0 + y[k].y;
        z[k].z = 1.0 + z[k].z;
        lowest = min(lowest, vec3<f32>(x[k].x, y[k].y, z[k].z));
    }
    let rows = vec3<f32>(most_y.x + most_z.x, most_x.y + most_z.y, most_x.z + most_y.z);
    let columns = vec3<f32>(most_x.y + most_x.z, most_y.x + most_y.z, most_z.x + most_z.y);
    if (max(product_of(lowest - rows), product_of(lowest - columns)) > limits.y) {
        return NO_FOLD;
    }
    // The 27 Bernstein coefficients, each as the sum of its determinants.
    var sums: array<f32, 27>;
    for (var q = 0u; q < 4u; q = q + 1u) {
        for (var r = 0u; r < 4u; r = r + 1u) {
            let first_part = y[q].y * z[r].z - y[q].z * z[r].y;
            let second_part = y[q].z * z[r].x - y[q].x * z[r].z;
            let third_part = y[q].x * z[r].y - y[q].y * z[r].x;
            for (var p = 0u; p < 4u; p = p + 1u) {
                let which = (q & 1u) + (r & 1u) + 3u * ((p & 1u) + (r >> 1u)) + 9u * ((p >> 1u) + (q >> 1u));
                let det = x[p].x * first_part + x[p].y * second_part + x[p].z * third_part;
                sums[which] = sums[which] + det;
            }
        }
    }
    var least = NO_FOLD;
    for (var k = 0u; k < 27u; k = k + 1u) {
        var share = select(1.0, 0.5, k % 3u == 1u);
        share = share * select(1.0, 0.5, (k / 3u) % 3u == 1u);
        share = share * select(1.0, 0.5, k / 9u == 1u);
        least = min(least, share * sums[k]);
    }
    return least;
}
