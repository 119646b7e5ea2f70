// Phases of eight lanes, packed as the Gabor pyramid stores them (kernels/gabor/mod.rs), and their interpolation
// between pixels.

// Phases of lanes 0, 2, 4, 6 (`first`) and of lanes 1, 3, 5, 7 (`second`); 2³² is one turn.
struct Phases {
    first: vec4<u32>,
    second: vec4<u32>,
}

// Unpacks words of two phases, each into the upper half of a word. The lowest bit of a half tells whether the phase
// counts; it is equal on both sides of every difference that counts, and so cancels.
fn phases_of(words: vec4<u32>) -> Phases {
    return Phases(words << vec4<u32>(16u), words & vec4<u32>(0xffff0000u));
}

// The differences `phases` − `others`, wrapped to ±½ turn; 2³² is one turn. At most 24 bits are significant.
fn ahead(phases: vec4<u32>, others: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(bitcast<vec4<i32>>(phases - others));
}

// The nearest pixel of a position (`nearest`), its neighbours in x and y on the position's side (`across`, `down`), and
// the distances to the position (`away`), in units of 2⁻¹⁶ pixels: an even number of them.
struct Spot {
    nearest: u32,
    across: u32,
    down: u32,
    away: vec2<i32>,
}

// The spot at the displacement `d`, which must not be NaN, from a pixel; one outside the image is moved to the border.
// What is rounded is the displacement, not the position: the same displacement gives the same phases everywhere.
fn spot_of(origin: vec2<u32>, d: vec2<f32>, size: vec2<u32>) -> Spot {
    let first = vec2<i32>(origin);
    let clamped = clamp(d, vec2<f32>(-first), vec2<f32>(vec2<i32>(size) - vec2<i32>(1) - first));
    let steps = floor(clamped + 0.5);
    let pixel = vec2<u32>(first + vec2<i32>(steps));
    let offset = clamped - steps;
    let up = select(vec2<u32>(0u), vec2<u32>(1u), offset > vec2<f32>());
    let side = pixel + up - select(vec2<u32>(0u), vec2<u32>(1u), offset < vec2<f32>());
    let row = pixel.y * size.x;
    return Spot(row + pixel.x, row + side.x, side.y * size.x + pixel.x, vec2<i32>(abs(offset) * 32768.0) << vec2<u32>(1u));
}

// The differences `phases` − `others`, wrapped to ±½ turn; 2¹⁶ is one turn.
fn halves_ahead(phases: vec4<u32>, others: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(phases - others) >> vec4<u32>(16u);
}

// Interpolates phases between pixels: a plane through three of them. The sum overflows by whole turns, which do not
// matter.
fn moved(nearest: vec4<u32>, across: vec4<u32>, down: vec4<u32>, away: vec2<i32>) -> vec4<u32> {
    let offset = away.x * halves_ahead(across, nearest) + away.y * halves_ahead(down, nearest);
    return nearest + bitcast<vec4<u32>>(offset);
}

// Interpolates phases between two pixels of a row: a line through both.
fn moved_across(nearest: vec4<u32>, across: vec4<u32>, away: i32) -> vec4<u32> {
    return nearest + bitcast<vec4<u32>>(away * halves_ahead(across, nearest));
}

fn between(nearest: Phases, across: Phases, down: Phases, away: vec2<i32>) -> Phases {
    return Phases(
        moved(nearest.first, across.first, down.first, away),
        moved(nearest.second, across.second, down.second, away),
    );
}

// The sum over the eight lanes, added in the order of the lanes.
fn over_lanes(first: vec4<f32>, second: vec4<f32>) -> f32 {
    return first.x + second.x + first.y + second.y + first.z + second.z + first.w + second.w;
}
