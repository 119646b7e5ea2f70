// Parts around seeds, found in the page itself: every triangle belongs to the nearest seed, by ways over arcs of the weight
// α Ang/mean + (1 − α) Geod/mean, with Ang = η (1 − cos θ) and η = 1 where the surface bends inwards, as in the command's fuzzy
// clustering by its preset `paper`.
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const pointAt = (corner) => [points[3 * corner], points[3 * corner + 1], points[3 * corner + 2]];

// Of each side with a triangle beyond it: 1 − cos θ, whether the surface bends inwards, and the way between the middles.
const arcsOfSides = () => {
  const middle = [], normal = [];
  for (let face = 0; face < faces; face += 1) {
    const [a, b, c] = [0, 1, 2].map((k) => pointAt(corners[3 * face + k]));
    middle.push([0, 1, 2].map((k) => (a[k] + b[k] + c[k]) / 3));
    const [u, v] = [minus(b, a), minus(c, a)];
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...n) || 1;
    normal.push(n.map((value) => value / size));
  }
  const bend = new Float64Array(3 * faces), length = new Float64Array(3 * faces), inwards = new Uint8Array(3 * faces);
  for (let side = 0; side < 3 * faces; side += 1) {
    const face = Math.floor(side / 3), other = beside[side];
    if (other < 0) continue;
    bend[side] = 1 - dot(normal[face], normal[other]);
    inwards[side] = dot(minus(middle[other], middle[face]), minus(normal[face], normal[other])) > 0 ? 1 : 0;
    const from = pointAt(corners[side]), to = minus(pointAt(corners[3 * face + ((side + 1) % 3)]), from);
    const size = Math.hypot(...to) || 1, along = to.map((value) => value / size);
    // Both middles in the plane of the unfolded triangles: along the edge, and away from it.
    const unfolded = (place) => {
      const way = minus(place, from), x = dot(way, along);
      return [x, Math.hypot(...way.map((value, k) => value - x * along[k]))];
    };
    const [[xa, ya], [xb, yb]] = [unfolded(middle[face]), unfolded(middle[other])];
    length[side] = Math.hypot(xa - xb, ya + yb);
  }
  return { bend, inwards, length };
};

// The weight of each side's arc.
const weightsOf = (arcs, angleShare, convexShare) => {
  const angle = Float64Array.from(arcs.bend, (bend, side) => (arcs.inwards[side] ? 1 : convexShare) * bend);
  let [angles, lengths, count] = [0, 0, 0];
  for (let side = 0; side < 3 * faces; side += 1) {
    if (beside[side] < 0) continue;
    angles += angle[side];
    lengths += arcs.length[side];
    count += 1;
  }
  const scale = (weight, sum) => (sum / (count || 1) > 1e-9 ? (weight * count) / sum : 0);
  const [ofAngle, ofLength] = [scale(angleShare, angles), scale(1 - angleShare, lengths)];
  return Float64Array.from(angle, (value, side) => Math.max(ofAngle * value + ofLength * arcs.length[side], 1e-9));
};

// The distance of every triangle from one, by Dijkstra's method; a heap of triangles, each as often as it got nearer.
const distancesFrom = (weights, seed) => {
  const distance = new Float64Array(faces).fill(Infinity), heap = [[0, seed]];
  distance[seed] = 0;
  const sink = () => {
    const last = heap.pop();
    let at = 0;
    if (heap.length === 0) return;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && heap[child + 1][0] < heap[child][0]) child += 1;
      if (child >= heap.length || heap[child][0] >= last[0]) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
  };
  const rise = (entry) => {
    let at = heap.push(entry) - 1;
    while (at > 0 && heap[(at - 1) >> 1][0] > entry[0]) { heap[at] = heap[(at - 1) >> 1]; at = (at - 1) >> 1; }
    heap[at] = entry;
  };
  while (heap.length > 0) {
    const [far, face] = heap[0];
    sink();
    if (far > distance[face]) continue;
    for (let side = 3 * face; side < 3 * face + 3; side += 1) {
      const other = beside[side], further = far + weights[side];
      if (other >= 0 && further < distance[other]) { distance[other] = further; rise([further, other]); }
    }
  }
  return distance;
};

// The seeds so far, with the distances from each; α and η in percent.
const live = given.live && {
  command: `${given.command_line.split(/\s+/)[0]} segment ${given.live.mesh} -o parts.ply --method fuzzy --preset paper`,
  isLive: true, arcs: null, seeds: [], rows: [], angle: 80, convex: 20,
};
const weigh = () => {
  live.arcs = live.arcs || arcsOfSides();
  live.weights = weightsOf(live.arcs, live.angle / 100, live.convex / 100);
  live.rows = live.seeds.map((seed) => distancesFrom(live.weights, seed));
};
const sow = (seed) => { live.seeds.push(seed); live.rows.push(distancesFrom(live.weights, seed)); };
// The triangle that is best in some way; of several the first.
const bestFace = (value) => {
  let best = 0;
  for (let face = 1; face < faces; face += 1) if (value(face) > value(best)) best = face;
  return best;
};
// Seeds begin deep inside the run's parts; further ones are as far as possible from all others.
const sowUpTo = (count) => {
  if (live.seeds.length === 0) {
    const { of, parts } = partsAt(answers[0], answers[0].parts), deep = nearBorders(of);
    live.seeds = parts.slice(0, given.live.most).map((_, part) => bestFace((face) => (of[face] === part ? deep[face] : -1)));
    weigh();
  }
  while (live.seeds.length < count) {
    const nearest = (face) => live.rows.reduce((least, row) => Math.min(least, row[face]), Infinity);
    // What no seed reaches is first.
    sow(bestFace((face) => nearest(face)));
  }
};
const livePartsAt = (count) => {
  sowUpTo(count);
  const of = new Uint16Array(faces), sure = new Float32Array(faces), rows = live.rows.slice(0, count);
  const parts = rows.map((_, part) => (
    { rgb: given.colours[part % given.colours.length], triangles: 0, area: 0, thickness: 0, certainty: 0 }));
  for (let face = 0; face < faces; face += 1) {
    let [first, second] = [0, Infinity];
    for (let part = 1; part < count; part += 1) {
      if (rows[part][face] < rows[first][face]) { second = rows[first][face]; first = part; } else second = Math.min(second, rows[part][face]);
    }
    of[face] = first;
    // 1 at a seed, and 0 where another one is as near.
    sure[face] = second === Infinity ? 1 : 1 - rows[first][face] / (second || 1);
    const part = parts[first];
    part.triangles += 1;
    part.area += areas[face];
    part.thickness += areas[face] * answers[0].thickness[answers[0].finest[face]];
  }
  for (const part of parts) { part.thickness /= part.area || 1; part.area /= wholeArea || 1; }
  return { of, parts, sure, isOwn: false };
};
if (live) {
  answers.push(Object.assign(live, { parts: answers[0].parts, fewest_parts: 1, finest_parts: Math.min(given.live.most, faces) }));
  live.parts = Math.min(live.parts, live.finest_parts);
}
