// Lengths of 32 bits, in fours.

alias FourLengths = vec4<f32>;

fn load(at: u32) -> vec4<f32> {
    return lengths[at];
}

fn store(at: u32, four: vec4<f32>) {
    lengths[at] = four;
}
