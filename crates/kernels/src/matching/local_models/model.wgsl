// Affine models of motion: for every component the value at a position and three slopes; the same as cpu.rs.

override COMPONENTS: u32 = 2u;

struct Model {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn value_of(row: vec4<f32>, offset: vec3<f32>) -> f32 {
    var sum = row.x + row.y * offset.x;
    sum = sum + row.z * offset.y;
    if (COMPONENTS == 3u) {
        sum = sum + row.w * offset.z;
    }
    return sum;
}

fn values_of(model: Model, offset: vec3<f32>) -> vec3<f32> {
    var values = vec3<f32>(value_of(model.x, offset), value_of(model.y, offset), 0.0);
    if (COMPONENTS == 3u) {
        values.z = value_of(model.z, offset);
    }
    return values;
}

// The model of one position at another one, so far away.
fn moved(model: Model, offset: vec3<f32>) -> Model {
    let values = values_of(model, offset);
    var out = model;
    out.x.x = values.x;
    out.y.x = values.y;
    out.z.x = values.z;
    return out;
}
