// The operator with equal springs along each axis and without volume term, four voxels of a row at a time.

fn spring(along: f32, i: u32, j: u32) -> f32 {
    return along;
}

fn pull_at(v: vec3<u32>) -> Pull {
    let i = index_of(v);
    let own = x_at(i);
    let springs = springs_across(v);
    let base = add_across(rhs_at(i), springs, across_at(v));
    let sum = add_along_x(base, own, left_of(v), right_of(v), block.spring.x);
    let diag = total_of_springs(springs, block.spring.x, v.x > 0u, v.x + 1u < block.size.x);
    return Pull(own, sum, Three(diag, diag, diag));
}

fn squares(r: Three) -> f32 {
    let s = squares_of(r);
    return (s.x + s.y) + (s.z + s.w);
}
