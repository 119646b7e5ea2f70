// Affine models fitted to the matches around every node. The contract is in mod.rs. Needs exponential.wgsl, model.wgsl,
// solve.wgsl.

override REACH: u32 = 2u;
override REFITS: u32 = 2u;
// Nodes of this grid along an axis for one of the guess's.
override FACTOR: u32 = 1u;

struct Match {
    // From the node.
    offset: vec3<f32>,
    vector: vec3<f32>,
    // 0: none.
    weight: f32,
}

struct Candidate {
    model: Model,
    energy: f32,
}

struct Here {
    at: vec3<u32>,
    position: vec3<f32>,
    intensity: f32,
}

fn count() -> u32 {
    return block.size.x * block.size.y * block.size.z;
}

fn guess_count() -> u32 {
    return block.guess.x * block.guess.y * block.guess.z;
}

fn index_of(at: vec3<u32>) -> u32 {
    return (at.z * block.size.y + at.y) * block.size.x + at.x;
}

fn triple(plane: u32, i: u32) -> vec3<f32> {
    let n = count();
    var found = vec3<f32>(nodes[plane * n + i], nodes[(plane + 1u) * n + i], 0.0);
    if (COMPONENTS == 3u) {
        found.z = nodes[(plane + 2u) * n + i];
    }
    return found;
}

fn intensity_of(i: u32) -> f32 {
    return nodes[(2u * COMPONENTS + 1u) * count() + i];
}

// The match of a node as another one sees it.
fn seen(here: Here, i: u32) -> Match {
    let weight = nodes[2u * COMPONENTS * count() + i];
    if (!(weight > 0.0)) {
        return Match(vec3<f32>(0.0), vec3<f32>(0.0), 0.0);
    }
    let apart = intensity_of(i) - here.intensity;
    let exponent = apart * apart * block.scales.y;
    return Match(triple(0u, i) - here.position, triple(COMPONENTS, i), weight * exponential(-exponent));
}

// What a model misses a match by, and the square of that (w).
fn residual(model: Model, found: Match) -> vec4<f32> {
    let missing = found.vector - values_of(model, found.offset);
    var square = missing.x * missing.x;
    square = square + missing.y * missing.y;
    if (COMPONENTS == 3u) {
        square = square + missing.z * missing.z;
    }
    return vec4<f32>(missing, square);
}

fn lowest(at: u32, reach: u32) -> u32 {
    return at - min(at, reach);
}

// The first node of a window.
fn low_corner(at: vec3<u32>, reach: u32) -> vec3<u32> {
    return vec3<u32>(lowest(at.x, reach), lowest(at.y, reach), select(0u, lowest(at.z, reach), COMPONENTS == 3u));
}

// One after the last node of a window.
fn high_corner(at: vec3<u32>, reach: u32, size: vec4<u32>) -> vec3<u32> {
    return min(at + vec3<u32>(reach + 1u), size.xyz);
}

fn energy_of(here: Here, model: Model) -> f32 {
    let low = low_corner(here.at, REACH);
    let high = high_corner(here.at, REACH, block.size);
    var sum = 0.0;
    for (var z = low.z; z < high.z; z = z + 1u) {
        for (var y = low.y; y < high.y; y = y + 1u) {
            for (var x = low.x; x < high.x; x = x + 1u) {
                let found = seen(here, index_of(vec3<u32>(x, y, z)));
                let square = residual(model, found).w;
                sum = sum + found.weight * square * (1.0 / (square + block.scales.x));
            }
        }
    }
    return sum;
}

fn refitted(here: Here, model: Model) -> Model {
    let low = low_corner(here.at, REACH);
    let high = high_corner(here.at, REACH, block.size);
    let ridge = block.costs.x;
    var rows = Rows(
        vec4<f32>(ridge, 0.0, 0.0, 0.0),
        vec4<f32>(0.0, ridge, 0.0, 0.0),
        vec4<f32>(0.0, 0.0, ridge, 0.0),
        vec4<f32>(0.0, 0.0, 0.0, ridge),
    );
    var sums = Model(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    for (var z = low.z; z < high.z; z = z + 1u) {
        for (var y = low.y; y < high.y; y = y + 1u) {
            for (var x = low.x; x < high.x; x = x + 1u) {
                let found = seen(here, index_of(vec3<u32>(x, y, z)));
                let missing = residual(model, found);
                let share = block.scales.x * (1.0 / (missing.w + block.scales.x));
                let weight = found.weight * share * share;
                let basis = vec4<f32>(1.0, found.offset * block.scales.z);
                let weighted = weight * basis;
                rows.a = rows.a + weighted.x * basis;
                rows.b = rows.b + weighted.y * basis;
                rows.c = rows.c + weighted.z * basis;
                rows.d = rows.d + weighted.w * basis;
                sums.x = sums.x + weighted * missing.x;
                sums.y = sums.y + weighted * missing.y;
                sums.z = sums.z + weighted * missing.z;
            }
        }
    }
    let factors = factors_of(rows);
    let scale = vec4<f32>(1.0, vec3<f32>(block.scales.z));
    var out_model = model;
    out_model.x = model.x + solved(factors, sums.x) * scale;
    out_model.y = model.y + solved(factors, sums.y) * scale;
    if (COMPONENTS == 3u) {
        out_model.z = model.z + solved(factors, sums.z) * scale;
    }
    return out_model;
}

fn guess_index(at: vec3<u32>) -> u32 {
    return (at.z * block.guess.y + at.y) * block.guess.x + at.x;
}

fn guess_row(i: u32, component: u32) -> vec4<f32> {
    let n = guess_count();
    let first = component * (COMPONENTS + 1u);
    var row = vec4<f32>(
        guess_models[first * n + i],
        guess_models[(first + 1u) * n + i],
        guess_models[(first + 2u) * n + i],
        0.0,
    );
    if (COMPONENTS == 3u) {
        row.w = guess_models[(first + 3u) * n + i];
    }
    return row;
}

// The model of a node of the guess, at this node.
fn guessed(here: Here, i: u32) -> Model {
    let n = guess_count();
    var position = vec3<f32>(guess_nodes[i], guess_nodes[n + i], 0.0);
    var model = Model(guess_row(i, 0u), guess_row(i, 1u), vec4<f32>(0.0));
    if (COMPONENTS == 3u) {
        position.z = guess_nodes[2u * n + i];
        model.z = guess_row(i, 2u);
    }
    return moved(model, here.position - position);
}

// What a candidate costs for where it comes from.
fn far(apart: f32, start: vec3<u32>, to: vec3<u32>) -> f32 {
    let steps = vec3<i32>(to) - vec3<i32>(start);
    var squares = steps.x * steps.x + steps.y * steps.y;
    if (COMPONENTS == 3u) {
        squares = squares + steps.z * steps.z;
    }
    var cost = apart * apart * block.scales.y;
    cost = cost + block.costs.z * f32(squares);
    return block.costs.y * cost;
}

fn better_of(here: Here, best: Candidate, model: Model, far_cost: f32) -> Candidate {
    let energy = energy_of(here, model) + far_cost;
    if (energy < best.energy) {
        return Candidate(model, energy);
    }
    return best;
}

fn best_candidate(here: Here) -> Model {
    let start = min(here.at / FACTOR, block.guess.xyz - vec3<u32>(1u));
    var zero = vec4<f32>(0.0);
    var best = Candidate(Model(zero, zero, zero), 3.4028235e38);
    var low = low_corner(start, 1u);
    var high = high_corner(start, 1u, block.guess);
    for (var z = low.z; z < high.z; z = z + 1u) {
        for (var y = low.y; y < high.y; y = y + 1u) {
            for (var x = low.x; x < high.x; x = x + 1u) {
                let at = vec3<u32>(x, y, z);
                let i = guess_index(at);
                let apart = guess_nodes[(2u * COMPONENTS + 1u) * guess_count() + i] - here.intensity;
                best = better_of(here, best, guessed(here, i), far(apart, start, at));
            }
        }
    }
    let base = guessed(here, guess_index(start));
    low = low_corner(here.at, 1u);
    high = high_corner(here.at, 1u, block.size);
    for (var z = low.z; z < high.z; z = z + 1u) {
        for (var y = low.y; y < high.y; y = y + 1u) {
            for (var x = low.x; x < high.x; x = x + 1u) {
                let at = vec3<u32>(x, y, z);
                let i = index_of(at);
                let found = seen(here, i);
                if (nodes[2u * COMPONENTS * count() + i] > 0.0) {
                    let missing = found.vector - values_of(base, found.offset);
                    var model = base;
                    model.x.x = base.x.x + missing.x;
                    model.y.x = base.y.x + missing.y;
                    model.z.x = base.z.x + missing.z;
                    best = better_of(here, best, model, far(intensity_of(i) - here.intensity, here.at, at));
                }
            }
        }
    }
    return best.model;
}

fn store(row: vec4<f32>, component: u32, i: u32) {
    let n = count();
    let first = component * (COMPONENTS + 1u);
    out[first * n + i] = row.x;
    out[(first + 1u) * n + i] = row.y;
    out[(first + 2u) * n + i] = row.z;
    if (COMPONENTS == 3u) {
        out[(first + 3u) * n + i] = row.w;
    }
}

@compute @workgroup_size(8, 8)
fn local_models(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let i = index_of(id);
    let here = Here(id, triple(0u, i), intensity_of(i));
    var model = best_candidate(here);
    for (var k = 0u; k < REFITS; k = k + 1u) {
        model = refitted(here, model);
    }
    store(model.x, 0u, i);
    store(model.y, 1u, i);
    if (COMPONENTS == 3u) {
        store(model.z, 2u, i);
    }
}

// Pictures: a few threads a node, which see the matches around it once and weigh its candidates side by side; sums and choices are
// those of `local_models`.

// Threads a node, of 64 a workgroup.
override LANES: u32 = 32u;
// Matches around a node at most, and its candidates: models of the guess, and those that go through a match.
const AROUND: u32 = 25u;
const CANDIDATES: u32 = 18u;
// Offsets (x, y) and vectors (z, w) of the matches around up to sixteen nodes, and their weights.
var<workgroup> around: array<vec4<f32>, 400>;
var<workgroup> weights: array<f32, 400>;
// What candidates cost.
var<workgroup> energies: array<f32, 288>;

fn side() -> u32 {
    return 2u * REACH + 1u;
}

fn match_of(i: u32) -> Match {
    return Match(vec3<f32>(around[i].xy, 0.0), vec3<f32>(around[i].zw, 0.0), weights[i]);
}

// A position some steps off, and whether a grid has it.
fn beside(at: vec3<u32>, nth: u32, width: u32, size: vec4<u32>) -> vec3<i32> {
    let steps = vec2<i32>(i32(nth % width), i32(nth / width)) - vec2<i32>(i32(width / 2u));
    let found = vec2<i32>(at.xy) + steps;
    return vec3<i32>(found, select(0, 1, all(found >= vec2<i32>(0)) && all(found < vec2<i32>(size.xy))));
}

fn weigh(node: u32, model: Model, far_cost: f32) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < side() * side(); k = k + 1u) {
        let found = match_of(node * AROUND + k);
        let square = residual(model, found).w;
        sum = sum + found.weight * square * (1.0 / (square + block.scales.x));
    }
    return sum + far_cost;
}

// A candidate, and what it costs for where it comes from; below zero: there is none.
fn proposed(here: Here, node: u32, nth: u32) -> Candidate {
    let start = min(here.at / FACTOR, block.guess.xyz - vec3<u32>(1u));
    var model = guessed(here, guess_index(start));
    if (nth < 9u) {
        let to = beside(start, nth, 3u, block.guess);
        if (to.z == 0) {
            return Candidate(model, -1.0);
        }
        let at = vec3<u32>(vec2<u32>(to.xy), 0u);
        let i = guess_index(at);
        let apart = guess_nodes[(2u * COMPONENTS + 1u) * guess_count() + i] - here.intensity;
        return Candidate(guessed(here, i), far(apart, start, at));
    }
    let through = nth - 9u;
    let to = beside(here.at, through, 3u, block.size);
    let at = vec3<u32>(vec2<u32>(to.xy), 0u);
    // A match that looks all different weighs nothing, and is a candidate nevertheless.
    if (to.z == 0 || !(nodes[2u * COMPONENTS * count() + index_of(at)] > 0.0)) {
        return Candidate(model, -1.0);
    }
    let found = match_of(node * AROUND + (through / 3u + REACH - 1u) * side() + through % 3u + REACH - 1u);
    let missing = found.vector - values_of(model, found.offset);
    model.x.x = model.x.x + missing.x;
    model.y.x = model.y.x + missing.y;
    return Candidate(model, far(intensity_of(index_of(at)) - here.intensity, here.at, at));
}

fn chosen(here: Here, node: u32) -> Model {
    var zero = vec4<f32>(0.0);
    var first = CANDIDATES;
    var least = 3.4028235e38;
    for (var k = 0u; k < CANDIDATES; k = k + 1u) {
        if (energies[node * CANDIDATES + k] < least) {
            least = energies[node * CANDIDATES + k];
            first = k;
        }
    }
    if (first == CANDIDATES) {
        return Model(zero, zero, zero);
    }
    return proposed(here, node, first).model;
}

fn refitted_around(node: u32, model: Model) -> Model {
    let ridge = block.costs.x;
    var rows = Rows(
        vec4<f32>(ridge, 0.0, 0.0, 0.0),
        vec4<f32>(0.0, ridge, 0.0, 0.0),
        vec4<f32>(0.0, 0.0, ridge, 0.0),
        vec4<f32>(0.0, 0.0, 0.0, ridge),
    );
    var sums = Model(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    for (var k = 0u; k < side() * side(); k = k + 1u) {
        let found = match_of(node * AROUND + k);
        let missing = residual(model, found);
        let share = block.scales.x * (1.0 / (missing.w + block.scales.x));
        let weight = found.weight * share * share;
        let basis = vec4<f32>(1.0, found.offset * block.scales.z);
        let weighted = weight * basis;
        rows.a = rows.a + weighted.x * basis;
        rows.b = rows.b + weighted.y * basis;
        rows.c = rows.c + weighted.z * basis;
        sums.x = sums.x + weighted * missing.x;
        sums.y = sums.y + weighted * missing.y;
    }
    let factors = factors_of(rows);
    let scale = vec4<f32>(1.0, vec3<f32>(block.scales.z));
    var out_model = model;
    out_model.x = model.x + solved(factors, sums.x) * scale;
    out_model.y = model.y + solved(factors, sums.y) * scale;
    return out_model;
}

@compute @workgroup_size(64)
fn models_of_pictures(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let node = thread / LANES;
    let lane = thread % LANES;
    let nth = (group.y * groups.x + group.x) * (64u / LANES) + node;
    let is_node = nth < count();
    let i = min(nth, count() - 1u);
    let at = vec3<u32>(i % block.size.x, i / block.size.x, 0u);
    let here = Here(at, triple(0u, i), intensity_of(i));
    for (var k = lane; k < side() * side(); k = k + LANES) {
        let to = beside(at, k, side(), block.size);
        var found = Match(vec3<f32>(0.0), vec3<f32>(0.0), 0.0);
        if (to.z == 1) {
            found = seen(here, u32(to.y) * block.size.x + u32(to.x));
        }
        around[node * AROUND + k] = vec4<f32>(found.offset.xy, found.vector.xy);
        weights[node * AROUND + k] = found.weight;
    }
    workgroupBarrier();
    for (var k = lane; k < CANDIDATES; k = k + LANES) {
        let candidate = proposed(here, node, k);
        var energy = 3.4028235e38;
        if (candidate.energy >= 0.0) {
            energy = weigh(node, candidate.model, candidate.energy);
        }
        energies[node * CANDIDATES + k] = energy;
    }
    workgroupBarrier();
    if (lane > 0u || !is_node) {
        return;
    }
    var model = chosen(here, node);
    for (var k = 0u; k < REFITS; k = k + 1u) {
        model = refitted_around(node, model);
    }
    store(model.x, 0u, i);
    store(model.y, 1u, i);
}
