// The slider of the least confidence: of motions, errors and differences only what is at least so certain is shown; beside it the
// share of each method's picture that is left.
(() => {
  const slider = document.getElementById("least-confidence"), value = document.getElementById("least-confidence-value");
  const figures = [...slider.closest("section").querySelectorAll("figure.panel")];
  const pictures = (title) => {
    const of = figures.filter((figure) => figure.querySelector("h3").textContent.startsWith(title));
    return of.map((figure) => [...figure.querySelectorAll(".picture-frame")]);
  };
  const [sure] = pictures("Confidence");
  // Green rises with confidence from stop to stop of the ramp.
  const STOPS = [0.07, 0.28, 0.52, 0.76, 0.91];
  const greenOf = (confidence) => {
    const at = Math.min(Math.floor(4 * confidence), 3);
    return STOPS[at] + (4 * confidence - at) * (STOPS[at + 1] - STOPS[at]);
  };
  const NAMES = document.querySelector("svg").namespaceURI;
  const make = (name, attributes, parent) => {
    const made = parent.appendChild(document.createElementNS(NAMES, name));
    Object.entries(attributes).forEach(([key, text]) => made.setAttribute(key, text));
    return made;
  };
  const hidden = make("svg", { width: 0, height: 0, "aria-hidden": "true", style: "position:absolute" }, document.body);
  const filter = make("filter", { id: "is-sure", "color-interpolation-filters": "sRGB", x: 0, y: 0, width: 1, height: 1 }, hidden);
  make("feColorMatrix", { type: "matrix", values: "0 0 0 0 1  0 0 0 0 1  0 0 0 0 1  0 1 0 0 0" }, filter);
  const step = make("feFuncA", { type: "linear", slope: 255 }, make("feComponentTransfer", {}, filter));
  sure.forEach((frame, nth) => {
    const image = frame.querySelector("image");
    if (!image) return;
    const mask = make("mask", { id: `sure-${nth}`, style: "mask-type:alpha" }, hidden);
    mask.appendChild(image.cloneNode()).setAttribute("filter", "url(#is-sure)");
  });
  const masked = ["Motion", "End-point error", "Difference"].flatMap(pictures).flatMap((frames) => frames.map((frame, nth) => (
    { image: frame.querySelector("image"), mask: document.getElementById(`sure-${nth}`) && `url(#sure-${nth})` })));
  // How many pixels of each picture have each value of green.
  const counts = sure.map(() => null);
  sure.forEach((frame, nth) => {
    const shown = new Image();
    shown.onload = () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: shown.width, height: shown.height });
      const plane = canvas.getContext("2d");
      plane.drawImage(shown, 0, 0);
      const { data } = plane.getImageData(0, 0, shown.width, shown.height), count = new Float64Array(256);
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) count[data[i + 1]] += 1;
      counts[nth] = count;
    };
    const image = frame.querySelector("image");
    if (image) shown.src = image.getAttribute("href");
  });
  const label = (nth) => sure[nth].querySelector(".picture-label");
  const labels = sure.map((_, nth) => label(nth) && label(nth).textContent);
  const update = () => {
    const least = Number(slider.value) / 100, green = greenOf(least);
    value.textContent = least.toFixed(2);
    step.setAttribute("intercept", 0.5 - 255 * green);
    for (const { image, mask } of masked) {
      if (image && mask && least > 0) image.setAttribute("mask", mask); else if (image) image.removeAttribute("mask");
    }
    counts.forEach((count, nth) => {
      if (!count || !label(nth)) return;
      const sum = (from) => count.subarray(from).reduce((all, one) => all + one, 0);
      const share = sum(Math.round(255 * green)) / (sum(0) || 1);
      label(nth).textContent = least > 0 ? `${labels[nth]}: ${Math.round(100 * share)} % shown` : labels[nth];
    });
  };
  slider.addEventListener("input", update);
  update();
  if (location.hash === "#self-test") {
    addEventListener("load", () => setTimeout(() => {
      const root = document.documentElement.dataset;
      slider.value = "50";
      update();
      root.masked = String(masked.filter(({ image }) => image && image.hasAttribute("mask")).length);
      root.labels = sure.map((_, nth) => label(nth) && label(nth).textContent).join("; ");
      slider.value = "0";
      update();
      root.unmasked = String(masked.filter(({ image }) => image && image.hasAttribute("mask")).length);
    }, 200));
  }
})();
