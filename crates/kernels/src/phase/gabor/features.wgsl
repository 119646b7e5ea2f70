// Features of a pixel: the same operations in the same order as features.rs. Needs arctangent.wgsl.

const PI: f32 = 3.14159274;

// Sums over the lanes, added in their order.
struct Sums {
    energy: f32,
    most: f32,
    // Sum of the magnitudes as vectors at twice their orientation.
    x: f32,
    y: f32,
}

// Adds two lanes; `twice` holds cosine and sine of twice the orientation of each.
fn with_powers(sums: Sums, power: vec2<f32>, twice: vec4<f32>) -> Sums {
    let magnitude = sqrt(power);
    let x = magnitude * twice.xz;
    let y = magnitude * twice.yw;
    return Sums(
        sums.energy + power.x + power.y,
        max(sums.most, max(power.x, power.y)),
        sums.x + x.x + x.y,
        sums.y + y.x + y.y,
    );
}

// Cosine and sine of half the angle of the point (x, y); the sine is not negative.
fn half_angle(x: f32, y: f32) -> vec2<f32> {
    let length = sqrt(x * x + y * y);
    if (length <= 0.0) {
        return vec2<f32>(1.0, 0.0);
    }
    let larger = sqrt(0.5 + 0.5 * (abs(x) / length));
    let smaller = abs(y) / (2.0 * length * larger);
    let cosine = select(smaller, larger, x >= 0.0);
    let sine = select(larger, smaller, x >= 0.0);
    return vec2<f32>(select(cosine, -cosine, y < 0.0), sine);
}

fn orientation_of(x: f32, y: f32) -> f32 {
    let half = 0.5 * arctangent2(y, x);
    let turned = select(half, half + PI, half < 0.0);
    return select(turned, 0.0, turned >= PI);
}

fn phase_of(s: f32, c: f32) -> f32 {
    let angle = arctangent2(s, c);
    return select(angle, PI, angle <= -PI);
}
