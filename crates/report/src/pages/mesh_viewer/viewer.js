// The mesh of a page: parts in colours, fading to white where they are uncertain.
(() => {
  const root = document.documentElement.dataset;
  root.errors = "0";
  const fail = () => { root.errors = String(Number(root.errors) + 1); };
  addEventListener("error", fail);
  const given = JSON.parse(document.getElementById("mesh-data").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const points = new Float32Array(bytes(given.points));
  const corners = new Uint32Array(bytes(given.triangles));
  const answers = given.answers.map((answer) => ({
    ...answer, finest: new Uint16Array(bytes(answer.finest)), certainty: new Uint8Array(bytes(answer.certainty)),
  }));
  // The answer that is shown.
  let shown = answers[0];
  const faces = corners.length / 3;

  // Faces with corners of their own, so that each has one colour.
  const position = new Float32Array(9 * faces);
  corners.forEach((corner, i) => position.set(points.subarray(3 * corner, 3 * corner + 3), 3 * i));
  const colour = new Float32Array(9 * faces);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
  geometry.computeVertexNormals();

  const canvas = document.getElementById("mesh-canvas");
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
  const scene = new THREE.Scene();
  scene.add(new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide })));
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8a8a, 2.2));
  const lamp = new THREE.DirectionalLight(0xffffff, 1.2);
  const camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  camera.add(lamp);
  lamp.position.set(0.4, 0.6, 1);
  scene.add(camera);

  // Neighbours over shared edges, for the distance to borders.
  const beside = new Int32Array(3 * faces).fill(-1);
  const seen = new Map();
  for (let side = 0; side < 3 * faces; side += 1) {
    const face = Math.floor(side / 3), next = 3 * face + ((side + 1) % 3);
    const [a, b] = [corners[side], corners[next]];
    const key = Math.min(a, b) * points.length + Math.max(a, b), other = seen.get(key);
    if (other === undefined) { seen.set(key, side); } else { beside[side] = Math.floor(other / 3); beside[other] = face; }
  }

  // The part of each of the finest parts, for so many parts.
  const namesAt = (count) => {
    const name = Array.from({ length: shown.finest_parts }, (_, part) => part);
    const undone = shown.finest_parts - count;
    for (const [kept, joined] of shown.merges.slice(0, undone).reverse()) { name[joined] = name[kept]; }
    return name;
  };

  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const shade = (count, whiteness) => {
    const name = namesAt(count), { finest, certainty, inks } = shown;
    const of = (face) => name[finest[face]];
    let sure = (face) => certainty[face] / 255;
    if (count !== shown.parts) {
      // Steps over faces to the nearest border, as a length of the mean face.
      const step = Math.sqrt(2 / faces), steps = new Int32Array(faces).fill(-1);
      let front = [];
      for (let side = 0; side < 3 * faces; side += 1) {
        const face = Math.floor(side / 3);
        if (beside[side] >= 0 && of(face) !== of(beside[side]) && steps[face] < 0) { steps[face] = 0; front.push(face); }
      }
      for (let far = 1; front.length > 0; far += 1) {
        const next = [];
        for (const face of front) for (let k = 0; k < 3; k += 1) {
          const other = beside[3 * face + k];
          if (other >= 0 && steps[other] < 0) { steps[other] = far; next.push(other); }
        }
        front = next;
      }
      sure = (face) => (steps[face] < 0 ? 1 : 1 - Math.exp((-steps[face] * step) / 0.02));
    }
    for (let face = 0; face < faces; face += 1) {
      const rgb = given.colours[inks[of(face)] % given.colours.length];
      const fade = whiteness * (1 - sure(face));
      for (let k = 0; k < 9; k += 1) {
        const c = rgb[k % 3] / 255;
        colour[9 * face + k] = linear(c + fade * (1 - c));
      }
    }
    geometry.attributes.color.needsUpdate = true;
  };

  // Turned by dragging, nearer by the wheel.
  let [turn, tilt, away] = [0.6, 0.35, 1];
  // Of the ball around the middle that holds the mesh, so that it is seen whole from everywhere.
  let radius = 0;
  for (let i = 0; i < position.length; i += 3) radius = Math.max(radius, Math.hypot(position[i], position[i + 1], position[i + 2]));
  const draw = () => {
    const width = canvas.clientWidth, height = canvas.clientHeight;
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    const distance = (away * radius) / Math.sin((camera.fov * Math.PI) / 360) / Math.min(camera.aspect, 1);
    camera.near = distance / 100;
    camera.far = distance * 4;
    camera.position.set(
      distance * Math.cos(tilt) * Math.sin(turn), distance * Math.sin(tilt), distance * Math.cos(tilt) * Math.cos(turn));
    camera.lookAt(0, 0, 0);
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
  };
  let at = null;
  canvas.addEventListener("pointerdown", (event) => { at = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { at = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (!at) return;
    turn -= (event.clientX - at[0]) * 0.008;
    tilt = Math.max(-1.5, Math.min(1.5, tilt + (event.clientY - at[1]) * 0.008));
    at = [event.clientX, event.clientY];
    draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    away = Math.max(0.15, Math.min(4, away * Math.exp(event.deltaY * 0.001)));
    draw();
  }, { passive: false });
  addEventListener("resize", draw);

  const parts = document.getElementById("mesh-parts"), fuzzy = document.getElementById("mesh-fuzziness");
  const update = () => {
    shade(Number(parts.value), Number(fuzzy.value) / 100);
    document.getElementById("mesh-parts-value").textContent = parts.value;
    document.getElementById("mesh-fuzziness-value").textContent = `${fuzzy.value} %`;
    draw();
  };
  const choices = document.querySelectorAll("input[name=mesh-answer]");
  for (const choice of choices) choice.addEventListener("change", () => {
    shown = answers[Number(choice.value)];
    [parts.min, parts.max, parts.value] = [shown.fewest_parts, shown.finest_parts, shown.parts];
    parts.disabled = shown.fewest_parts === shown.finest_parts;
    update();
  });
  parts.addEventListener("input", update);
  fuzzy.addEventListener("input", update);
  update();

  // What was drawn, for tests: pixels that are not empty, and a sum over their colours.
  const picture = () => {
    const gl = renderer.getContext(), size = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const pixels = new Uint8Array(4 * size[0] * size[1]);
    gl.readPixels(0, 0, size[0], size[1], gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let [filled, sum] = [0, 0];
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i + 3] > 0) filled += 1;
      sum = (sum + (i % 65521) * (pixels[i] + 3 * pixels[i + 1] + 7 * pixels[i + 2])) % 2147483647;
    }
    return { filled, sum };
  };
  if (location.hash === "#self-test") {
    const first = picture();
    root.filled = String(first.filled);
    if (choices.length > 1) {
      choices[1].click();
      root.answerChanges = String(picture().sum !== first.sum);
      root.mostParts = parts.max;
      choices[0].click();
      root.answerReturns = String(picture().sum === first.sum);
    }
    parts.value = String(Math.max(Number(parts.min), Number(parts.value) - 1));
    parts.dispatchEvent(new Event("input"));
    root.partsChange = String(picture().sum !== first.sum);
    const second = picture();
    fuzzy.value = "0";
    fuzzy.dispatchEvent(new Event("input"));
    root.fuzzinessChanges = String(picture().sum !== second.sum);
  }
})();
