// Flow of one level: the contract is mod.rs's. Needs nan.wgsl, arctangent.wgsl, expansion.wgsl, responses.wgsl.

override FRAMES: u32 = 5u;
// 1: responses are sampled where the coarser estimate says.
override DISPLACED: u32 = 1u;
override COARSER: u32 = 1u;
override BY_FIT: u32 = 1u;

struct Block {
    // Size of this level, and of the coarser one.
    size: vec4<u32>,
    // Where this level's responses start, in vec4.
    start: vec4<u32>,
    // τ_l, least magnitude squared, orientations that must count, scale of the error.
    limits: vec4<f32>,
    // 1/10, 1/5, 1/18: a compiler would draw constants out of products.
    parts: vec4<f32>,
    // ω of lanes k and k + 4.
    frequencies: array<vec4<f32>, 4>,
    // Products of its components: xx and xy, then yy, of lanes k and k + 4.
    squares: array<vec4<f32>, 4>,
    squares_yy: array<vec4<f32>, 4>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> frame0: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> frame1: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> frame2: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> frame3: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> frame4: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> coarser: array<f32>;
@group(0) @binding(7) var<storage, read_write> out: array<f32>;
@group(0) @binding(8) var<storage, read_write> confidence: array<f32>;

fn taken(frame: u32, i: u32) -> vec4<f32> {
    if (frame == 0u) {
        return frame0[i];
    }
    if (frame == 1u) {
        return frame1[i];
    }
    if (frame == 2u) {
        return frame2[i];
    }
    if (frame == 3u) {
        return frame3[i];
    }
    return frame4[i];
}

// A plane of a frame between its pixels.
fn between(frame: u32, plane: u32, corner: Corner) -> vec4<f32> {
    let i = plane + corner.index;
    if (DISPLACED == 0u || COARSER == 0u) {
        return taken(frame, i);
    }
    let a = taken(frame, i);
    let b = taken(frame, i + corner.right);
    let c = taken(frame, i + corner.down);
    let d = taken(frame, i + corner.down + corner.right);
    return bilinear(a, b, c, d, corner.weight);
}

fn corner_at(here: vec2<u32>, d: vec2<f32>, time: f32) -> Corner {
    if (DISPLACED == 0u || COARSER == 0u) {
        return Corner(here.y * block.size.x + here.x, 0u, 0u, vec2<f32>());
    }
    return corner_of(vec2<f32>(here) + d * time, block.size.xy);
}

@compute @workgroup_size(32, 4)
fn phase_flow(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xy;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let pixels = size.x * size.y;
    let here = id.y * size.x + id.x;
    var d = vec2<f32>();
    if (COARSER == 1u) {
        let n = neighbours(id.xy, block.size.zw);
        let plane = block.size.z * block.size.w;
        let coarse = vec2<f32>(
            expanded(coarser[n.x], coarser[n.y], coarser[n.z], coarser[n.w]),
            expanded(coarser[plane + n.x], coarser[plane + n.y], coarser[plane + n.z], coarser[plane + n.w]),
        );
        if (!is_nan(coarse.x)) {
            d = coarse;
        }
    }
    var before2 = Corner();
    var before = Corner();
    var after = Corner();
    var after2 = Corner();
    if (FRAMES == 2u) {
        after = corner_at(id.xy, d, 1.0);
    } else {
        before = corner_at(id.xy, d, -1.0);
        after = corner_at(id.xy, d, 1.0);
    }
    if (FRAMES == 5u) {
        before2 = corner_at(id.xy, d, -2.0);
        after2 = corner_at(id.xy, d, 2.0);
    }
    let tau = block.limits.x;
    let least2 = block.limits.y;
    // xx, xy, yy; x, y; count, goodness.
    var matrix = vec3<f32>();
    var side = vec2<f32>();
    var score = vec2<f32>();
    for (var k = 0u; k < 4u; k = k + 1u) {
        let plane = block.start.x + k * pixels;
        var slope = vec2<f32>();
        var error = vec2<f32>();
        var least = vec2<f32>();
        if (FRAMES == 2u) {
            let centre = frame0[plane + here];
            let a = between(1u, plane, after);
            slope = phase_steps(a, centre);
            least = lesser(powers(centre), powers(a));
        } else if (FRAMES == 3u) {
            let centre = frame1[plane + here];
            let a = between(2u, plane, after);
            let b = between(0u, plane, before);
            let u = phase_steps(a, centre);
            let v = phase_steps(b, centre);
            slope = 0.5 * (u - v);
            let bend = u + v;
            error = bend * bend * block.parts.z;
            least = lesser(lesser(powers(b), powers(centre)), powers(a));
        } else {
            let centre = frame2[plane + here];
            let a = between(3u, plane, after);
            let a2 = between(4u, plane, after2);
            let u1 = phase_steps(a, centre);
            let u2 = u1 + phase_steps(a2, a);
            let b = between(1u, plane, before);
            let b2 = between(0u, plane, before2);
            let v1 = phase_steps(b, centre);
            let v2 = v1 + phase_steps(b2, b);
            slope = block.parts.x * (((u2 - v2) + (u2 - v2)) + (u1 - v1));
            let mean = block.parts.y * (((v2 + v1) + u1) + u2);
            let twice = slope + slope;
            let ra = v2 - mean + twice;
            let rb = v1 - mean + slope;
            let rc = u1 - mean - slope;
            let rd = u2 - mean - twice;
            error = block.parts.y * ((((mean * mean + ra * ra) + rb * rb) + rc * rc) + rd * rd);
            least = lesser(lesser(lesser(lesser(powers(b2), powers(b)), powers(centre)), powers(a)), powers(a2));
        }
        let is_valid = (least > vec2<f32>(least2)) & (error < vec2<f32>(tau));
        let one = select(vec2<f32>(0.0), vec2<f32>(1.0), is_valid);
        let goodness = select(vec2<f32>(0.0), vec2<f32>(1.0) / (vec2<f32>(1.0) + block.limits.w * error), is_valid);
        var weight = one;
        if (BY_FIT == 1u) {
            weight = goodness;
        }
        let pull = weight * slope;
        let w = block.frequencies[k];
        let s = block.squares[k];
        let yy = block.squares_yy[k];
        matrix.x = matrix.x + weight.x * s.x + weight.y * s.z;
        matrix.y = matrix.y + weight.x * s.y + weight.y * s.w;
        matrix.z = matrix.z + weight.x * yy.x + weight.y * yy.z;
        side.x = side.x + pull.x * w.x + pull.y * w.z;
        side.y = side.y + pull.x * w.y + pull.y * w.w;
        score.x = score.x + one.x + one.y;
        score.y = score.y + goodness.x + goodness.y;
    }
    let determinant = matrix.x * matrix.z - matrix.y * matrix.y;
    var x = not_a_number();
    var y = not_a_number();
    var sure = 0.0;
    if (score.x >= block.limits.z && determinant > LEAST_DETERMINANT) {
        x = d.x + (matrix.y * side.y - matrix.z * side.x) / determinant;
        y = d.y + (matrix.y * side.x - matrix.x * side.y) / determinant;
        sure = 0.125 * score.y;
    }
    out[here] = x;
    out[pixels + here] = y;
    confidence[here] = sure;
}

const LEAST_DETERMINANT: f32 = 1e-6;
