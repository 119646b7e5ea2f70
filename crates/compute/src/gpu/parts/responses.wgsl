// Gabor responses of two lanes: even and odd of the one, even and odd of the other.

// The four pixels around a position: the first, steps to the others, weights of these.
struct Corner {
    index: u32,
    right: u32,
    down: u32,
    weight: vec2<f32>,
}

// Of a position that is not NaN; outside it moves to the border.
fn corner_of(at: vec2<f32>, size: vec2<u32>) -> Corner {
    let clamped = clamp(at, vec2<f32>(), vec2<f32>(size - vec2<u32>(1u)));
    let low = min(vec2<u32>(clamped), max(size, vec2<u32>(2u)) - vec2<u32>(2u));
    let step = min(low + vec2<u32>(1u), size - vec2<u32>(1u)) - low;
    return Corner(low.y * size.x + low.x, step.x, step.y * size.x, clamped - vec2<f32>(low));
}

fn bilinear(a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32>, weight: vec2<f32>) -> vec4<f32> {
    let top = a + weight.x * (b - a);
    let bottom = c + weight.x * (d - c);
    return top + weight.y * (bottom - top);
}

// How far the phases of `to` are ahead of those of `before`.
fn phase_steps(to: vec4<f32>, before: vec4<f32>) -> vec2<f32> {
    let re = to.xz * before.xz + to.yw * before.yw;
    let im = to.yw * before.xz - to.xz * before.yw;
    return vec2<f32>(arctangent2(im.x, re.x), arctangent2(im.y, re.y));
}

// Squared magnitudes.
fn powers(pair: vec4<f32>) -> vec2<f32> {
    return pair.xz * pair.xz + pair.yw * pair.yw;
}

fn lesser(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return select(a, b, b < a);
}
