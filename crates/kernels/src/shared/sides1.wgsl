// Neighbours along x of single samples.
fn first_of(pack: f32) -> f32 {
    return pack;
}

fn last_of(pack: f32) -> f32 {
    return pack;
}

fn sample_of(pack: f32, k: u32) -> f32 {
    return pack;
}

// What stands before each sample, and what after it.
fn before_each(before: f32, here: f32) -> f32 {
    return before;
}

fn after_each(here: f32, after: f32) -> f32 {
    return after;
}

// 1, but at the ends of a row what is greater.
fn ends(first: f32, last: f32) -> f32 {
    return max(first, last);
}
