// Bindings of the residual: unknowns and right-hand side are only read; results go to other buffers.
@group(0) @binding(1) var<storage, read> x0: array<Pack>;
@group(0) @binding(2) var<storage, read> x1: array<Pack>;
@group(0) @binding(3) var<storage, read> x2: array<Pack>;
@group(0) @binding(4) var<storage, read> rhs0: array<Pack>;
@group(0) @binding(5) var<storage, read> rhs1: array<Pack>;
@group(0) @binding(6) var<storage, read> rhs2: array<Pack>;
