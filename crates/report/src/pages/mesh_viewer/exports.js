// The parts that are shown, as files: PLY, .seg, GLB with a node a part, OBJ with a group a part.
const partName = (part, count) => `part_${String(part).padStart(Math.max(2, String(count - 1).length), "0")}`;
// In the mesh's own unit.
const placeOf = (corner) => [0, 1, 2].map((k) => points[3 * corner + k] * given.extent + given.centre[k]);
const whitened = (rgb, sure) => rgb.map((c) => Math.round(255 - sure * (255 - c)));

const exportSeg = ({ of, parts }) => {
  if (!given.file_faces) return [[...of].join("\n") + "\n"];
  // A polygon has the part of its largest triangle.
  const face = new Uint32Array(bytes(given.file_faces)), largest = [], label = [];
  for (let t = 0; t < faces; t += 1) if (!(areas[t] <= largest[face[t]])) { largest[face[t]] = areas[t]; label[face[t]] = of[t]; }
  return [label.join("\n") + "\n"];
};

const exportPly = ({ of, parts, sure }) => {
  const count = points.length / 3;
  const head = `ply\nformat binary_little_endian 1.0\ncomment Veloxel\nelement vertex ${count}\nproperty float x\n`
    + `property float y\nproperty float z\nelement face ${faces}\nproperty list uchar int vertex_indices\n`
    + "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nproperty float quality\n"
    + "property int segment\nend_header\n";
  const body = new DataView(new ArrayBuffer(12 * count + 25 * faces));
  for (let i = 0; i < count; i += 1) placeOf(i).forEach((c, k) => body.setFloat32(12 * i + 4 * k, c, true));
  for (let face = 0, at = 12 * count; face < faces; face += 1, at += 25) {
    body.setUint8(at, 3);
    for (let k = 0; k < 3; k += 1) body.setInt32(at + 1 + 4 * k, corners[3 * face + k], true);
    [...whitened(parts[of[face]].rgb, sure[face]), 255].forEach((c, k) => body.setUint8(at + 13 + k, c));
    body.setFloat32(at + 17, sure[face], true);
    body.setInt32(at + 21, of[face], true);
  }
  return [head, body];
};

const exportObj = ({ of, parts }) => {
  const lines = ["# Veloxel"];
  for (let i = 0; i < points.length / 3; i += 1) lines.push(`v ${placeOf(i).map((c) => Number(c.toPrecision(9))).join(" ")}`);
  parts.forEach((_, part) => {
    lines.push(`g ${partName(part, parts.length)}`);
    for (let face = 0; face < faces; face += 1) if (of[face] === part) {
      lines.push(`f ${corners[3 * face] + 1} ${corners[3 * face + 1] + 1} ${corners[3 * face + 2] + 1}`);
    }
  });
  return [lines.join("\n") + "\n"];
};

const exportGlb = ({ of, parts }) => {
  const binary = [], views = [], accessors = [], meshes = [], materials = [], nodes = [];
  let length = 0;
  const accessor = (data, target, rest) => {
    views.push({ buffer: 0, byteOffset: length, byteLength: data.byteLength, target });
    accessors.push({ bufferView: views.length - 1, ...rest });
    binary.push(data);
    length += data.byteLength;
    return accessors.length - 1;
  };
  parts.forEach(({ rgb }, part) => {
    const place = new Map(), index = [], low = [Infinity, Infinity, Infinity], high = low.map((v) => -v), at = [];
    for (let side = 0; side < 3 * faces; side += 1) if (of[Math.floor(side / 3)] === part) {
      const corner = corners[side];
      if (!place.has(corner)) {
        place.set(corner, place.size);
        placeOf(corner).map(Math.fround).forEach((c, k) => { at.push(c); low[k] = Math.min(low[k], c); high[k] = Math.max(high[k], c); });
      }
      index.push(place.get(corner));
    }
    const name = partName(part, parts.length);
    const POSITION = accessor(new Float32Array(at), 34962, { componentType: 5126, count: place.size, type: "VEC3", min: low, max: high });
    const indices = accessor(new Uint32Array(index), 34963, { componentType: 5125, count: index.length, type: "SCALAR" });
    materials.push({ name, doubleSided: true, pbrMetallicRoughness: {
      baseColorFactor: [...rgb.map((c) => linear(c / 255)), 1], metallicFactor: 0, roughnessFactor: 0.8 } });
    meshes.push({ name, primitives: [{ attributes: { POSITION }, indices, material: part, mode: 4 }] });
    nodes.push({ name, mesh: part });
  });
  const scene = { asset: { version: "2.0", generator: "Veloxel" }, scene: 0, scenes: [{ nodes: [...nodes.keys()] }],
    nodes, meshes, materials, buffers: [{ byteLength: length }], bufferViews: views, accessors };
  let text = JSON.stringify(scene);
  text += " ".repeat((4 - (new TextEncoder().encode(text).length % 4)) % 4);
  const json = new TextEncoder().encode(text);
  const words = (...values) => new Uint32Array(values);
  return [words(0x46546c67, 2, 28 + json.length + length, json.length, 0x4e4f534a), json, words(length, 0x004e4942), ...binary];
};

const EXPORTS = { ply: exportPly, seg: exportSeg, glb: exportGlb, obj: exportObj };
const save = (kind, shown) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(EXPORTS[kind](shown)));
  link.download = `${given.name}_${shown.parts.length}_parts.${kind}`;
  link.click();
  URL.revokeObjectURL(link.href);
};
