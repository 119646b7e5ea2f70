// Lengths of 16 bits, in fours: two words.

alias FourLengths = vec2<u32>;

fn load(at: u32) -> vec4<f32> {
    let words = lengths[at];
    return vec4<f32>(vec4<u32>(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u));
}

fn store(at: u32, four: vec4<f32>) {
    let whole = vec4<u32>(four);
    lengths[at] = vec2<u32>(whole.x | (whole.y << 16u), whole.z | (whole.w << 16u));
}
