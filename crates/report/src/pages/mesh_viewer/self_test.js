// What was drawn, picked and exported, for tests: the page tells it of itself at the address `#self-test`.
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
const selfTest = () => {
  const first = picture();
  root.filled = String(first.filled);
  if (choices.length > 1) {
    choices[1].click();
    root.answerChanges = String(picture().sum !== first.sum);
    root.mostParts = slider.max;
    choices[0].click();
    root.answerReturns = String(picture().sum === first.sum);
  }
  if (live) {
    choices[choices.length - 1].click();
    const around = picture().sum, [seed] = live.seeds;
    root.liveParts = String(shown.parts.length);
    byId("mesh-angle").value = "0";
    byId("mesh-angle").dispatchEvent(new Event("input"));
    root.angleChanges = String(picture().sum !== around);
    const other = shown.of.findIndex((part, face) => part === 0 && face !== seed);
    reseed(other);
    root.seedMoves = String(live.seeds[0] === other && shown.of[other] === 0);
    root.liveCommand = byId("mesh-command").textContent;
    choices[0].click();
    root.liveReturns = String(picture().sum === first.sum);
  }
  const box = canvas.getBoundingClientRect();
  pick(partAt(box.left + box.width / 2, box.top + box.height / 2));
  root.picked = String(picked);
  root.pickChanges = String(picture().sum !== first.sum && tbody.querySelectorAll(".is-picked").length === 1);
  byId("mesh-reset").click();
  root.resetReturns = String(picture().sum === first.sum);
  document.querySelector("input[name=mesh-up][value=z]").click();
  root.upChanges = String(picture().sum !== first.sum);
  document.querySelector("input[name=mesh-up][value=y]").click();
  slider.value = String(Math.max(Number(slider.min), Number(slider.value) - 1));
  slider.dispatchEvent(new Event("input"));
  root.partsChange = String(picture().sum !== first.sum);
  root.rows = String(tbody.rows.length);
  root.card = document.querySelector('[data-card="Parts"] .card-value').textContent;
  const second = picture();
  fuzzy.value = "0";
  fuzzy.dispatchEvent(new Event("input"));
  root.fuzzinessChanges = String(picture().sum !== second.sum);
  const hex = (part) => Array.from(
    typeof part === "string" ? new TextEncoder().encode(part) : new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const kind of Object.keys(EXPORTS)) root[`export${kind}`] = EXPORTS[kind](shown).map(hex).join("");
};
if (location.hash === "#self-test") selfTest();
