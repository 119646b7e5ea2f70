// The parts of the mesh at every number of parts: which part each triangle belongs to, and what there is to say of each.
const given = JSON.parse(document.getElementById("mesh-data").textContent);
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const points = new Float32Array(bytes(given.points));
const corners = new Uint32Array(bytes(given.triangles));
const faces = corners.length / 3;
const answers = given.answers.map((answer) => ({
  ...answer,
  finest: new Uint16Array(bytes(answer.finest)),
  certainty: new Uint8Array(bytes(answer.certainty)),
  own: answer.own && new Uint16Array(bytes(answer.own)),
}));

// The length of a side, and the area of each triangle.
const apart = (a, b) => Math.hypot(
  points[3 * a] - points[3 * b], points[3 * a + 1] - points[3 * b + 1], points[3 * a + 2] - points[3 * b + 2]);
const areas = new Float64Array(faces);
for (let face = 0; face < faces; face += 1) {
  const [a, b, c] = corners.subarray(3 * face, 3 * face + 3);
  const [u, v] = [b, c].map((corner) => [0, 1, 2].map((k) => points[3 * corner + k] - points[3 * a + k]));
  areas[face] = 0.5 * Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
}
const wholeArea = areas.reduce((sum, area) => sum + area, 0);

// The triangle beyond each side; −1 at a border.
const beside = new Int32Array(3 * faces).fill(-1);
const sidesSeen = new Map();
for (let side = 0; side < 3 * faces; side += 1) {
  const face = Math.floor(side / 3), next = 3 * face + ((side + 1) % 3);
  const [a, b] = [corners[side], corners[next]];
  const key = Math.min(a, b) * points.length + Math.max(a, b), other = sidesSeen.get(key);
  if (other === undefined) { sidesSeen.set(key, side); } else { beside[side] = Math.floor(other / 3); beside[other] = face; }
}
sidesSeen.clear();

// Labels for so many parts of the tree, in which parts below the least area join the neighbour with the longest border.
const labelsOfTree = (answer, count) => {
  const name = Array.from({ length: answer.finest_parts }, (_, part) => part);
  for (const [kept, joined] of answer.merges.slice(0, answer.finest_parts - count).reverse()) name[joined] = name[kept];
  const label = Uint16Array.from(answer.finest, (part) => name[part]);
  const area = new Float64Array(answer.finest_parts);
  for (let face = 0; face < faces; face += 1) area[label[face]] += areas[face];
  const small = [...area.keys()].filter((part) => area[part] > 0 && area[part] < answer.least_area * wholeArea);
  small.sort((a, b) => area[a] - area[b] || a - b);
  let left = count;
  for (const part of small) {
    const border = new Map();
    for (let side = 0; side < 3 * faces; side += 1) {
      const face = Math.floor(side / 3);
      if (label[face] !== part || beside[side] < 0 || label[beside[side]] === part) continue;
      const other = label[beside[side]], length = apart(corners[side], corners[3 * face + ((side + 1) % 3)]);
      border.set(other, (border.get(other) || 0) + length);
    }
    const longest = [...border].reduce((best, entry) => (best && best[1] >= entry[1] ? best : entry), null);
    if (!longest) continue;
    for (let face = 0; face < faces; face += 1) if (label[face] === part) label[face] = longest[0];
    left -= 1;
  }
  return { label, left };
};

// Labels for so many parts, and the colours of the labels; the run's own where that is the run's number.
const labelsAt = (answer, asked) => {
  if (asked === answer.parts && answer.own) return { label: answer.own, inks: answer.own_inks };
  let found = labelsOfTree(answer, asked);
  for (let count = asked + 1; found.left < asked && count <= answer.finest_parts; count += 1) {
    const further = labelsOfTree(answer, count);
    if (further.left > asked) break;
    found = further;
  }
  return { label: found.label, inks: answer.inks };
};

// What there is to say of each part; parts have the numbers that their files would have, in the order of their first triangles.
const partsAt = (answer, asked) => {
  const { label, inks } = labelsAt(answer, asked), number = new Map();
  const of = Uint16Array.from(label, (own) => {
    if (!number.has(own)) number.set(own, number.size);
    return number.get(own);
  });
  const parts = [...number.keys()].map((own) => ({
    rgb: given.colours[inks[own] % given.colours.length], triangles: 0, area: 0, thickness: 0, certainty: 0,
  }));
  for (let face = 0; face < faces; face += 1) {
    const part = parts[of[face]];
    part.triangles += 1;
    part.area += areas[face];
    part.thickness += areas[face] * answer.thickness[answer.finest[face]];
  }
  const isOwn = asked === answer.parts;
  const sure = isOwn ? Float32Array.from(answer.certainty, (certainty) => certainty / 255) : nearBorders(of);
  for (let face = 0; face < faces; face += 1) parts[of[face]].certainty += areas[face] * sure[face];
  for (const part of parts) { part.thickness /= part.area || 1; part.certainty /= part.area || 1; part.area /= wholeArea || 1; }
  return { of, parts, sure, isOwn };
};

// 0 at a border between parts, 1 far from all, by steps over triangles of the mean size.
const nearBorders = (of) => {
  const step = Math.sqrt(2 / faces), steps = new Int32Array(faces).fill(-1);
  let front = [];
  for (let side = 0; side < 3 * faces; side += 1) {
    const face = Math.floor(side / 3);
    if (beside[side] >= 0 && of[face] !== of[beside[side]] && steps[face] < 0) { steps[face] = 0; front.push(face); }
  }
  for (let far = 1; front.length > 0; far += 1) {
    const next = [];
    for (const face of front) for (let k = 0; k < 3; k += 1) {
      const other = beside[3 * face + k];
      if (other >= 0 && steps[other] < 0) { steps[other] = far; next.push(other); }
    }
    front = next;
  }
  return Float32Array.from(steps, (far) => (far < 0 ? 1 : 1 - Math.exp((-far * step) / 0.02)));
};
