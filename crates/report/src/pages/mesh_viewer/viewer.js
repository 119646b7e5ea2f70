// The mesh of a page: parts in colours, fading to white where they are uncertain; turned, picked, counted and exported.
const root = document.documentElement.dataset;
root.errors = "0";
addEventListener("error", () => { root.errors = String(Number(root.errors) + 1); });
const byId = (id) => document.getElementById(id);

// Faces with corners of their own, so that each has one colour.
const position = new Float32Array(9 * faces);
corners.forEach((corner, i) => position.set(points.subarray(3 * corner, 3 * corner + 3), 3 * i));
const colour = new Float32Array(9 * faces);
const geometry = new THREE.BufferGeometry();
geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
geometry.computeVertexNormals();

const canvas = byId("mesh-canvas");
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
const body = new THREE.Group();
body.add(new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide })));
scene.add(body);
scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8a8a, 2.2));
const lamp = new THREE.DirectionalLight(0xffffff, 1.2);
const camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
camera.add(lamp);
lamp.position.set(0.4, 0.6, 1);
scene.add(camera);

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
// The answer that is shown, its parts at the slider's number, and the part that was picked, −1 for none.
let [answer, shown, picked] = [answers[0], null, -1];
const shade = () => {
  const whiteness = Number(byId("mesh-fuzziness").value) / 100;
  for (let face = 0; face < faces; face += 1) {
    const part = shown.of[face], fade = whiteness * (1 - shown.sure[face]);
    // Beside the picked part all others are pale.
    const pale = picked >= 0 && part !== picked ? 0.72 : 0;
    for (let k = 0; k < 3; k += 1) {
      const c = shown.parts[part].rgb[k] / 255, faded = c + fade * (1 - c);
      const value = linear(faded + pale * (0.82 - faded));
      colour[9 * face + k] = colour[9 * face + 3 + k] = colour[9 * face + 6 + k] = value;
    }
  }
  geometry.attributes.color.needsUpdate = true;
};

// Turned by dragging, moved with shift or the right button, nearer by the wheel.
const START = { turn: 0.6, tilt: 0.35, away: 1, across: 0, upwards: 0 };
const view = { ...START };
// Of the ball around the middle that holds the mesh, so that it is seen whole from everywhere.
let radius = 0;
for (let i = 0; i < position.length; i += 3) radius = Math.max(radius, Math.hypot(position[i], position[i + 1], position[i + 2]));
const draw = () => {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  const distance = (view.away * radius) / Math.sin((camera.fov * Math.PI) / 360) / Math.min(camera.aspect, 1);
  camera.near = distance / 100;
  camera.far = distance * 4 + 4 * radius;
  const { turn, tilt } = view;
  camera.position.set(
    distance * Math.cos(tilt) * Math.sin(turn), distance * Math.sin(tilt), distance * Math.cos(tilt) * Math.cos(turn));
  camera.lookAt(0, 0, 0);
  camera.translateX(view.across);
  camera.translateY(view.upwards);
  camera.updateProjectionMatrix();
  renderer.render(scene, camera);
};
// The axis of the mesh that points up.
const ROTATIONS = { y: [0, 0, 0], z: [-Math.PI / 2, 0, 0], x: [0, 0, Math.PI / 2] };
const stand = () => {
  body.rotation.set(...ROTATIONS[document.querySelector("input[name=mesh-up]:checked").value]);
  body.updateMatrixWorld();
  draw();
};

// The triangle under a place of the canvas, −1 for none: the nearest one that a ray meets.
const faceAt = (x, y) => {
  const box = canvas.getBoundingClientRect();
  const far = new THREE.Vector3(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height, 0.5).unproject(camera);
  const from = body.worldToLocal(camera.position.clone()), along = body.worldToLocal(far).sub(from).normalize();
  const [fx, fy, fz, dx, dy, dz] = [from.x, from.y, from.z, along.x, along.y, along.z];
  let [nearest, found] = [Infinity, -1];
  for (let face = 0, i = 0; face < faces; face += 1, i += 9) {
    const [ax, ay, az] = [position[i], position[i + 1], position[i + 2]];
    const [ux, uy, uz] = [position[i + 3] - ax, position[i + 4] - ay, position[i + 5] - az];
    const [vx, vy, vz] = [position[i + 6] - ax, position[i + 7] - ay, position[i + 8] - az];
    const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const [tx, ty, tz] = [fx - ax, fy - ay, fz - az];
    const b = (tx * px + ty * py + tz * pz) / det;
    if (b < 0 || b > 1) continue;
    const [qx, qy, qz] = [ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux];
    const c = (dx * qx + dy * qy + dz * qz) / det;
    if (c < 0 || b + c > 1) continue;
    const at = (vx * qx + vy * qy + vz * qz) / det;
    if (at > 0 && at < nearest) [nearest, found] = [at, face];
  }
  return found;
};
const partAt = (x, y) => {
  const face = faceAt(x, y);
  return face < 0 ? -1 : shown.of[face];
};

// The table follows the slider; at the run's own number it has the rows of the page.
const tbody = canvas.closest("section").nextElementSibling.querySelector("tbody");
const ownRows = tbody.innerHTML;
const tabulate = () => {
  const cells = (part, number) => [
    number, `<span class="swatch" style="background:rgb(${part.rgb.join()})"></span>`, part.triangles,
    `${Number((100 * part.area).toPrecision(3))} %`, part.thickness.toFixed(3), shown.isOwn ? part.certainty.toFixed(2) : "–"];
  const row = (part, number) => `<tr>${cells(part, number).map((cell, k) => `<td${k > 1 ? ' class="number"' : ""}>${cell}</td>`).join("")}</tr>`;
  tbody.innerHTML = shown.isOwn && answer === answers[0] ? ownRows : shown.parts.map(row).join("");
  [...tbody.rows].forEach((row, part) => row.addEventListener("click", () => pick(picked === part ? -1 : part)));
};
const pick = (part) => {
  picked = part;
  [...tbody.rows].forEach((row, number) => row.classList.toggle("is-picked", number === picked));
  const of = shown.parts[picked];
  byId("mesh-picked").innerHTML = of
    ? `<span class="swatch" style="background:rgb(${of.rgb.join()})"></span>part ${picked}: ${of.triangles} triangles, `
      + `${Number((100 * of.area).toPrecision(3))} % of the area`
    : "Click a part, or its row below, to pick it.";
  shade();
  draw();
};

let held = null;
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("pointerdown", (event) => {
  held = { x: event.clientX, y: event.clientY, moved: 0, pans: event.shiftKey || event.button === 2 };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointerup", (event) => {
  if (held && held.moved < 4 && !held.pans) pick(partAt(event.clientX, event.clientY));
  held = null;
});
canvas.addEventListener("pointermove", (event) => {
  if (!held) return;
  const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
  held = { ...held, x: event.clientX, y: event.clientY, moved: held.moved + Math.abs(dx) + Math.abs(dy) };
  if (held.pans) {
    const unit = (2 * radius * view.away) / canvas.clientHeight;
    view.across -= dx * unit;
    view.upwards += dy * unit;
  } else {
    view.turn -= dx * 0.008;
    view.tilt = Math.max(-1.5, Math.min(1.5, view.tilt + dy * 0.008));
  }
  draw();
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  view.away = Math.max(0.05, Math.min(4, view.away * Math.exp(event.deltaY * 0.001)));
  draw();
}, { passive: false });
addEventListener("resize", draw);

const slider = byId("mesh-parts"), fuzzy = byId("mesh-fuzziness");
const update = () => {
  const asked = Number(slider.value);
  shown = answer.isLive ? livePartsAt(asked) : partsAt(answer, asked);
  const count = shown.parts.length;
  byId("mesh-parts-value").textContent = count === asked ? count : `${count}: no more of the least size`;
  document.querySelector('[data-card="Parts"] .card-value').textContent = count;
  document.querySelector('[data-card="Parts"] .card-note').textContent = shown.isOwn ? given.count_from : "by the slider";
  document.querySelector('[data-card="Certainty"] .card-value').textContent = shown.isOwn && answer === answers[0] ? given.certainty : "–";
  const typed = /(^|\s)(-k\s*|--parts[=\s]+)\d+/;
  const asRun = typed.test(given.command_line)
    ? given.command_line.replace(typed, `$1-k ${asked}`) : `${given.command_line} -k ${asked}`;
  byId("mesh-command").textContent = answer.isLive
    ? `${live.command} -k ${asked} --set angle_share=${live.angle / 100} --set convex_share=${live.convex / 100}` : asRun;
  tabulate();
  pick(-1);
};
const choices = document.querySelectorAll("input[name=mesh-answer]");
for (const choice of choices) choice.addEventListener("change", () => {
  answer = answers[Number(choice.value)];
  [slider.min, slider.max, slider.value] = [answer.fewest_parts, answer.finest_parts, answer.parts];
  slider.disabled = answer.fewest_parts === answer.finest_parts;
  update();
});
slider.addEventListener("input", update);
// α and η are of the parts around seeds; what is moved shows these.
for (const name of live ? ["angle", "convex"] : []) {
  const share = byId(`mesh-${name}`), tell = () => { byId(`mesh-${name}-value`).textContent = `${share.value} %`; };
  share.addEventListener("input", () => {
    live[name] = Number(share.value);
    tell();
    if (live.seeds.length > 0) weigh();
    if (answer.isLive) update(); else choices[choices.length - 1].click();
  });
  tell();
}
// A triangle becomes the seed of its part.
const reseed = (face) => {
  if (!answer.isLive || face < 0) return;
  const part = shown.of[face];
  live.seeds[part] = face;
  live.rows[part] = distancesFrom(live.weights, face);
  update();
};
canvas.addEventListener("dblclick", (event) => reseed(faceAt(event.clientX, event.clientY)));
fuzzy.addEventListener("input", () => { byId("mesh-fuzziness-value").textContent = `${fuzzy.value} %`; shade(); draw(); });
for (const choice of document.querySelectorAll("input[name=mesh-up]")) choice.addEventListener("change", stand);
byId("mesh-reset").addEventListener("click", () => { Object.assign(view, START); pick(-1); });
for (const button of document.querySelectorAll("button[data-export]")) {
  button.addEventListener("click", () => save(button.dataset.export, shown));
}
byId("mesh-fuzziness-value").textContent = `${fuzzy.value} %`;
update();
