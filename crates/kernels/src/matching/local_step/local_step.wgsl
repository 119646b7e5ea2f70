// One step of dense Lucas-Kanade in pictures, a tile of WIDTH × HEIGHT pixels a workgroup. The contract is in mod.rs. Needs
// nan.wgsl and lattice.wgsl.
//
// What a stage needs of its neighbours lies in workgroup memory: the constraints on the tile and RADIUS pixels around it, and these
// summed up along x; before, what they are made of: the images, and with gradient constancy their derivatives, on two pixels more
// each.

// Half a window, at most 3.
override RADIUS: u32 = 3u;
// 1: gradient constancy as well.
override GRADIENTS: u32 = 1u;
override NORMALISED: u32 = 1u;
// A tile's pixels along x, a multiple of four, and y, at most 32 and 16; threads of a workgroup.
override WIDTH: u32 = 32u;
override HEIGHT: u32 = 16u;
override THREADS: u32 = 256u;

// Where they lie: the fixed and the warped image, later their sum and their difference, and of their derivatives along both axes the
// sums and the differences; after all these the constraints, and their sums along x. At the border the nearest pixel inside takes
// the place of one outside.
var<workgroup> tile: array<f32, 7700>;

// Pixels around the tile on which the derivatives lie, and the images.
fn derived() -> u32 {
    return RADIUS + 2u;
}

fn imaged() -> u32 {
    return derived() + 2u * GRADIENTS;
}

// Columns and samples of the tile with so many pixels around it.
fn wide(around: u32) -> u32 {
    return WIDTH + 2u * around;
}

fn samples(around: u32) -> u32 {
    return wide(around) * (HEIGHT + 2u * around);
}

fn warped_start() -> u32 {
    return samples(imaged());
}

fn sums_start(axis: u32) -> u32 {
    return 2u * samples(imaged()) + axis * samples(derived());
}

fn differences_start(axis: u32) -> u32 {
    return sums_start(2u + axis);
}

fn row_sums_start() -> u32 {
    return 5u * samples(RADIUS);
}

// Samples of a channel that is summed up along x.
fn row_sums() -> u32 {
    return WIDTH * (HEIGHT + 2u * RADIUS);
}

fn sample(x: f32, y: f32) -> f32 {
    let size = block.size.xy;
    if (!(is_inside(x, size.x, block.limits.x) && is_inside(y, size.y, block.limits.x))) {
        return not_a_number();
    }
    let cx = cell_of(x, size.x);
    let cy = cell_of(y, size.y);
    let low = cy.low * size.x + cx.low;
    let high = cy.high * size.x + cx.low;
    let rows = lerp2(vec2<f32>(moving[low], moving[high]), vec2<f32>(moving[low + 1u], moving[high + 1u]), cx.weight);
    return lerp(rows.x, rows.y, cy.weight);
}

// The pixel of a place of a region with `around` pixels around the tile; whether it is one is told by `is_pixel`.
fn pixel_of(nth: u32, width: u32, around: u32, first: vec2<i32>) -> vec2<i32> {
    return first + vec2<i32>(i32(nth % width), i32(nth / width)) - vec2<i32>(i32(around));
}

fn is_pixel(at: vec2<i32>) -> bool {
    return all(at >= vec2<i32>(0)) && all(at < vec2<i32>(block.size.xy));
}

fn nearest_pixel(at: vec2<i32>) -> vec2<i32> {
    return clamp(at, vec2<i32>(0), vec2<i32>(block.size.xy) - vec2<i32>(1));
}

// A derivative of fourth order, without its factor.
fn differ(i: u32, stride: u32) -> f32 {
    return (tile[i - 2u * stride] - tile[i + 2u * stride]) + 8.0 * (tile[i + stride] - tile[i - stride]);
}

fn twice_mean(fixed: f32, warped: f32) -> f32 {
    return fixed + select(warped, fixed, is_nan(warped));
}

struct Channels {
    // Entries 11, 12, 22 and the first right-hand side.
    a: vec4<f32>,
    // The second one.
    b: f32,
}

fn products(difference: f32, over: vec2<f32>, zeta2: f32) -> Channels {
    let g = block.scales.zw * over;
    var scale = 1.0;
    if (NORMALISED == 1u) {
        scale = scale / (zeta2 + g.x * g.x + g.y * g.y);
    }
    let outside = is_nan(difference);
    scale = select(scale, 0.0, outside);
    let by = select(difference, 0.0, outside);
    let weighted = scale * g;
    return Channels(
        vec4<f32>(weighted.x * g.x, weighted.x * g.y, weighted.y * g.y, -weighted.x * by),
        -weighted.y * by,
    );
}

fn keep_sum(nth: u32, before: f32, after: f32) {
    tile[nth] = twice_mean(before, after);
    tile[warped_start() + nth] = after - before;
}

// Loads both images. Counts of rounds are known when the text is compiled, so that loads of several rounds are under way.
fn load_images(first: vec2<i32>, lane: u32) {
    for (var round = 0u; round < (samples(imaged()) + THREADS - 1u) / THREADS; round = round + 1u) {
        let nth = lane + round * THREADS;
        let at = nearest_pixel(pixel_of(nth, wide(imaged()), imaged(), first));
        if (nth < samples(imaged())) {
            let i = u32(at.y) * block.size.x + u32(at.x);
            let x = f32(at.x) + block.scales.x * displacement_x[i];
            let y = f32(at.y) + block.scales.y * displacement_y[i];
            let before = fixed[i];
            let after = sample(x, y);
            if (GRADIENTS == 1u) {
                tile[nth] = before;
                tile[warped_start() + nth] = after;
            } else {
                keep_sum(nth, before, after);
            }
        }
    }
}

fn differentiate(first: vec2<i32>, lane: u32) {
    for (var nth = lane; nth < samples(derived()); nth = nth + THREADS) {
        let at = nearest_pixel(pixel_of(nth, wide(derived()), derived(), first)) - first + vec2<i32>(i32(imaged()));
        let i = u32(at.y) * wide(imaged()) + u32(at.x);
        for (var axis = 0u; axis < 2u; axis = axis + 1u) {
            let stride = select(1u, wide(imaged()), axis == 1u);
            let before = differ(i, stride) * (1.0 / 12.0);
            let after = differ(warped_start() + i, stride) * (1.0 / 12.0);
            tile[sums_start(axis) + nth] = twice_mean(before, after);
            tile[differences_start(axis) + nth] = after - before;
        }
    }
}

// Puts sum and difference of the images in their place.
fn add_images(lane: u32) {
    for (var nth = lane; nth < samples(imaged()); nth = nth + THREADS) {
        keep_sum(nth, tile[nth], tile[warped_start() + nth]);
    }
}

fn of_derivative(axis: u32, i: u32) -> Channels {
    let at = sums_start(axis) + i;
    let over = vec2<f32>(differ(at, 1u), differ(at, wide(derived())));
    return products(tile[differences_start(axis) + i], over, block.terms.y);
}

// The constraints of a place; 0 outside.
fn constraints(nth: u32, first: vec2<i32>) -> Channels {
    let at = pixel_of(nth, wide(RADIUS), RADIUS, first);
    if (nth >= samples(RADIUS) || !is_pixel(at)) {
        return Channels(vec4<f32>(0.0), 0.0);
    }
    let row = nth / wide(RADIUS);
    let column = nth % wide(RADIUS);
    let i = (row + imaged() - RADIUS) * wide(imaged()) + column + imaged() - RADIUS;
    let brightness = products(tile[warped_start() + i], vec2<f32>(differ(i, 1u), differ(i, wide(imaged()))), block.terms.x);
    if (GRADIENTS == 0u) {
        return brightness;
    }
    let j = (row + 2u) * wide(derived()) + column + 2u;
    let along_x = of_derivative(0u, j);
    let along_y = of_derivative(1u, j);
    let gain = block.terms.z;
    return Channels(
        brightness.a + gain * (along_x.a + along_y.a),
        brightness.b + gain * (along_x.b + along_y.b),
    );
}

fn keep(nth: u32, channels: Channels) {
    if (nth < samples(RADIUS)) {
        tile[nth] = channels.a.x;
        tile[samples(RADIUS) + nth] = channels.a.y;
        tile[2u * samples(RADIUS) + nth] = channels.a.z;
        tile[3u * samples(RADIUS) + nth] = channels.a.w;
        tile[4u * samples(RADIUS) + nth] = channels.b;
    }
}

// The sum of a window, in pairs of pairs: its first sample lies at `i`.
fn window(i: u32, stride: u32) -> f32 {
    if (RADIUS == 1u) {
        return tile[i] + (tile[i + stride] + tile[i + 2u * stride]);
    }
    if (RADIUS == 2u) {
        let first = (tile[i + stride] + tile[i + 2u * stride]) + (tile[i + 3u * stride] + tile[i + 4u * stride]);
        return tile[i] + first;
    }
    let two = tile[i + stride] + tile[i + 2u * stride];
    let four = (tile[i + 3u * stride] + tile[i + 4u * stride]) + (tile[i + 5u * stride] + tile[i + 6u * stride]);
    return tile[i] + two + four;
}

// Windows that a thread sums up along x: they share their pairs.
const RUN: u32 = 4u;

// The same sums of windows beside each other.
fn sum_run(i: u32, out: u32) {
    var pairs: array<f32, 8>;
    for (var k = 0u; k < RUN + 2u * RADIUS - 2u; k = k + 1u) {
        pairs[k] = tile[i + k + 1u] + tile[i + k + 2u];
    }
    for (var k = 0u; k < RUN; k = k + 1u) {
        let first = tile[i + k];
        if (RADIUS == 1u) {
            tile[out + k] = first + pairs[k];
        } else if (RADIUS == 2u) {
            tile[out + k] = first + (pairs[k] + pairs[k + 2u]);
        } else {
            tile[out + k] = first + pairs[k] + (pairs[min(k + 2u, 7u)] + pairs[min(k + 4u, 7u)]);
        }
    }
}

fn sum_along_x(lane: u32) {
    for (var run = lane; run < 5u * row_sums() / RUN; run = run + THREADS) {
        let nth = RUN * run;
        let left = nth % row_sums();
        sum_run(nth / row_sums() * samples(RADIUS) + left / WIDTH * wide(RADIUS) + left % WIDTH, row_sums_start() + nth);
    }
}

// The increment of the pixel at a place of the tile.
fn solved(place: u32) -> vec2<f32> {
    let i = row_sums_start() + place;
    let p = window(i, WIDTH) + block.terms.w;
    let q = window(i + row_sums(), WIDTH);
    let r = window(i + 2u * row_sums(), WIDTH) + block.terms.w;
    let s = window(i + 3u * row_sums(), WIDTH);
    let t = window(i + 4u * row_sums(), WIDTH);
    let determinant = p * r - q * q;
    var found = vec2<f32>();
    if (determinant > 0.0) {
        found = vec2<f32>((r * s - q * t) / determinant, (p * t - q * s) / determinant);
    }
    return found;
}

// The sum over the workgroup, in a fixed order.
fn total(value: f32, lane: u32) -> f32 {
    workgroupBarrier();
    tile[lane] = value;
    workgroupBarrier();
    for (var half = 512u; half > 0u; half = half >> 1u) {
        if (lane < half && lane + half < THREADS) {
            tile[lane] = tile[lane] + tile[lane + half];
        }
        workgroupBarrier();
    }
    return tile[0];
}

@compute @workgroup_size(THREADS)
fn local_step(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = vec2<i32>(group.xy * vec2<u32>(WIDTH, HEIGHT));
    load_images(first, lane);
    workgroupBarrier();
    if (GRADIENTS == 1u) {
        differentiate(first, lane);
        workgroupBarrier();
        add_images(lane);
        workgroupBarrier();
    }
    // They take the place of what they are made of; a tile has four times the threads of a workgroup at most.
    let rounds = (samples(RADIUS) + THREADS - 1u) / THREADS;
    var kept: array<Channels, 4>;
    for (var round = 0u; round < rounds; round = round + 1u) {
        kept[round] = constraints(lane + round * THREADS, first);
    }
    workgroupBarrier();
    for (var round = 0u; round < rounds; round = round + 1u) {
        keep(lane + round * THREADS, kept[round]);
    }
    workgroupBarrier();
    sum_along_x(lane);
    workgroupBarrier();
    var length_sum = 0.0;
    for (var place = lane; place < WIDTH * HEIGHT; place = place + THREADS) {
        let at = pixel_of(place, WIDTH, 0u, first);
        if (is_pixel(at)) {
            let i = u32(at.y) * block.size.x + u32(at.x);
            var increment = solved(place);
            let length = sqrt(increment.x * increment.x + increment.y * increment.y);
            if (length > block.limits.y) {
                increment = increment * (block.limits.y / length);
            }
            length_sum = length_sum + min(length, block.limits.y);
            out_x[i] = increment.x + displacement_x[i];
            out_y[i] = increment.y + displacement_y[i];
        }
    }
    let sum = total(length_sum, lane);
    if (lane == 0u) {
        sums[group.y * groups.x + group.x] = sum;
    }
}
