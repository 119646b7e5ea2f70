// The relative smoothness weight of each voxel. The contract is in mod.rs. A thread moves along z, so that it loads
// each sample of its column once.

override COMPONENTS: u32 = 3u;
override ROBUST: u32 = 1u;
override EDGES: u32 = 0u;
override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;
// Planes per thread.
override DEPTH: u32 = 1u;

// One pack per component.
struct Three {
    x: Pack,
    y: Pack,
    z: Pack,
}

fn total(i: u32) -> Three {
    var d = Three(base_x[i] + increment_x[i], base_y[i] + increment_y[i], Pack(0.0));
    if (COMPONENTS == 3u) {
        d.z = base_z[i] + increment_z[i];
    }
    return d;
}

// Sums are added from left to right, as in mod.rs, so that both give the same bits.
fn square(a: Three, b: Three) -> Pack {
    let x = a.x - b.x;
    let y = a.y - b.y;
    if (COMPONENTS == 2u) {
        return x * x + y * y;
    }
    let z = a.z - b.z;
    return x * x + y * y + z * z;
}

fn add_square(start: Pack, a: Three, b: Three) -> Pack {
    let x = a.x - b.x;
    let y = a.y - b.y;
    if (COMPONENTS == 2u) {
        return start + x * x + y * y;
    }
    let z = a.z - b.z;
    return start + x * x + y * y + z * z;
}

// The sum of squared differences to both neighbours along x; 0 beyond the border.
fn squares_x(here: Three, i: u32, at: u32, count: u32) -> Pack {
    var before = vec3<f32>(first_of(here.x), first_of(here.y), first_of(here.z));
    var after = vec3<f32>(last_of(here.x), last_of(here.y), last_of(here.z));
    if (at > 0u) {
        let d = total(i - 1u);
        before = vec3<f32>(last_of(d.x), last_of(d.y), last_of(d.z));
    }
    if (at + 1u < count) {
        let d = total(i + 1u);
        after = vec3<f32>(first_of(d.x), first_of(d.y), first_of(d.z));
    }
    let low = Three(before_each(before.x, here.x), before_each(before.y, here.y), before_each(before.z, here.z));
    let high = Three(after_each(here.x, after.x), after_each(here.y, after.y), after_each(here.z, after.z));
    return add_square(square(here, low), here, high);
}

fn derivative(i: u32, at: u32, count: u32, stride: u32) -> Pack {
    let before = select(i, i - stride, at > 0u);
    let after = select(i, i + stride, at + 1u < count);
    let far_before = select(before, before - stride, at > 1u);
    let far_after = select(after, after + stride, at + 2u < count);
    return image[far_before] - image[far_after] + 8.0 * (image[after] - image[before]);
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn diffusivity(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let plane = size.x * size.y;
    let first = id.z * DEPTH;
    var here: Three;
    var below: Pack;
    if (ROBUST == 1u) {
        let i = (first * size.y + id.y) * size.x + id.x;
        here = total(i);
        below = square(here, total(select(i, i - plane, first > 0u)));
    }
    for (var z = first; z < min(first + DEPTH, size.z); z = z + 1u) {
        let i = (z * size.y + id.y) * size.x + id.x;
        var psi = Pack(1.0);
        if (ROBUST == 1u) {
            let before = square(here, total(select(i, i - size.x, id.y > 0u)));
            let squares_y = add_square(before, here, total(select(i, i + size.x, id.y + 1u < size.y)));
            var sum = Pack(1.0) + block.share.x * squares_x(here, i, id.x, size.x) + block.share.y * squares_y;
            if (COMPONENTS == 3u) {
                let next = total(select(i, i + plane, z + 1u < size.z));
                let above = square(here, next);
                sum = sum + block.share.z * (below + above);
                below = above;
                here = next;
            }
            psi = Pack(1.0) / sqrt(sum);
        }
        if (EDGES == 1u) {
            let slope_x = block.slope.x * (block.share.w * derivative_x(i - id.x, id.x));
            let slope_y = block.slope.y * (block.share.w * derivative(i, id.y, size.y, size.x));
            var squares = slope_x * slope_x + slope_y * slope_y;
            if (COMPONENTS == 3u) {
                let slope_z = block.slope.z * (block.share.w * derivative(i, z, size.z, plane));
                squares = squares + slope_z * slope_z;
            }
            psi = psi * exponentials(-block.slope.w * sqrt(squares));
        }
        out[i] = psi;
    }
}
