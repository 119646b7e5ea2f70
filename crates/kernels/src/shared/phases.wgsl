// Phases of eight lanes as the Gabor pyramid packs them (kernels/gabor/mod.rs), and phases between pixels.

// Lanes 0, 2, 4, 6 and lanes 1, 3, 5, 7; 2³² is a turn.
struct Phases {
    first: vec4<u32>,
    second: vec4<u32>,
}

// In the upper half of each: the lowest bit of a half says the same on both sides of a difference that counts.
fn phases_of(words: vec4<u32>) -> Phases {
    return Phases(words << vec4<u32>(16u), words & vec4<u32>(0xffff0000u));
}

// How far phases are ahead of others, 2³² a turn: 24 bits at most count.
fn ahead(phases: vec4<u32>, others: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(bitcast<vec4<i32>>(phases - others));
}

// The pixel nearest to a position, its neighbours on the position's side, and how far away it is, in units of 2⁻¹⁶ pixels: an even
// number of them.
struct Spot {
    nearest: u32,
    across: u32,
    down: u32,
    away: vec2<i32>,
}

// Of a position that is not NaN; outside it moves to the border.
fn spot_of(at: vec2<f32>, size: vec2<u32>) -> Spot {
    let clamped = clamp(at, vec2<f32>(), vec2<f32>(size - vec2<u32>(1u)));
    let pixel = vec2<u32>(clamped + 0.5);
    let offset = clamped - vec2<f32>(pixel);
    let up = select(vec2<u32>(0u), vec2<u32>(1u), offset > vec2<f32>());
    let side = pixel + up - select(vec2<u32>(0u), vec2<u32>(1u), offset < vec2<f32>());
    let row = pixel.y * size.x;
    return Spot(row + pixel.x, row + side.x, side.y * size.x + pixel.x, vec2<i32>(abs(offset) * 32768.0) << vec2<u32>(1u));
}

// How far phases are ahead of others, 2¹⁶ a turn.
fn halves_ahead(phases: vec4<u32>, others: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(phases - others) >> vec4<u32>(16u);
}

// Phases between pixels: a plane through three of them. Whole turns that do not fit are cut off.
fn moved(nearest: vec4<u32>, across: vec4<u32>, down: vec4<u32>, away: vec2<i32>) -> vec4<u32> {
    let offset = away.x * halves_ahead(across, nearest) + away.y * halves_ahead(down, nearest);
    return nearest + bitcast<vec4<u32>>(offset);
}

// The same between the pixels of a row: a line through two of them.
fn moved_across(nearest: vec4<u32>, across: vec4<u32>, away: i32) -> vec4<u32> {
    return nearest + bitcast<vec4<u32>>(away * halves_ahead(across, nearest));
}

fn between(nearest: Phases, across: Phases, down: Phases, away: vec2<i32>) -> Phases {
    return Phases(
        moved(nearest.first, across.first, down.first, away),
        moved(nearest.second, across.second, down.second, away),
    );
}

// Over lanes, one after the other.
fn over_lanes(first: vec4<f32>, second: vec4<f32>) -> f32 {
    return first.x + second.x + first.y + second.y + first.z + second.z + first.w + second.w;
}
