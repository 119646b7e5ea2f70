// Neighbours along x, for packs of one sample.
fn first_of(pack: f32) -> f32 {
    return pack;
}

fn last_of(pack: f32) -> f32 {
    return pack;
}

fn sample_of(pack: f32, k: u32) -> f32 {
    return pack;
}

// The neighbours before each sample of a pack (`before_each`) and after it (`after_each`).
fn before_each(before: f32, here: f32) -> f32 {
    return before;
}

fn after_each(here: f32, after: f32) -> f32 {
    return after;
}

// A factor for each sample of a pack: 1, except `first` for the first sample and `last` for the last one. A pack of one
// sample is both and gets the greater.
fn ends(first: f32, last: f32) -> f32 {
    return max(first, last);
}
