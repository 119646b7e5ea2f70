// Matches in one word; the same as pack and unpack in mod.rs.

override COMPONENTS: u32 = 2u;
// Bits of a component.
override BITS: u32 = 14u;

fn component_of(word: u32, axis: u32) -> i32 {
    return i32((word >> (BITS * axis)) & ((1u << BITS) - 1u)) - i32(1u << (BITS - 1u));
}

fn vector_of(word: u32) -> vec3<i32> {
    return vec3<i32>(component_of(word, 0u), component_of(word, 1u), select(0, component_of(word, 2u), COMPONENTS == 3u));
}

fn size_of(word: u32) -> u32 {
    return word >> (BITS * COMPONENTS);
}

fn packed(vector: vec3<i32>, size: u32) -> u32 {
    let half = i32(1u << (BITS - 1u));
    var word = (size << (BITS * COMPONENTS)) | u32(vector.x + half) | (u32(vector.y + half) << BITS);
    if (COMPONENTS == 3u) {
        word = word | (u32(vector.z + half) << (2u * BITS));
    }
    return word;
}

fn longest() -> i32 {
    return i32(1u << (BITS - 1u)) - 1;
}
