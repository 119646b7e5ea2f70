// Bindings of the product: the unknowns are read; the residual overwrites the right-hand side.
@group(0) @binding(1) var<storage, read> x0: array<Pack>;
@group(0) @binding(2) var<storage, read> x1: array<Pack>;
@group(0) @binding(3) var<storage, read> x2: array<Pack>;
@group(0) @binding(4) var<storage, read_write> rhs0: array<Pack>;
@group(0) @binding(5) var<storage, read_write> rhs1: array<Pack>;
@group(0) @binding(6) var<storage, read_write> rhs2: array<Pack>;
