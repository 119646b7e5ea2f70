// Search over the index beside this file, the menu of small screens, and buttons that copy code. Works from file://.
"use strict";
const box = document.getElementById("search"), found = document.getElementById("found");
const plain = text => text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
const sections = (window.searchIndex || []).map(([url, page, title, text]) =>
  ({ url, page, title, text, heading: plain(page + " " + title), body: plain(text) }));

// All words must be there; words in headings weigh more, and whole words more than beginnings.
function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const inHeading = section.heading.includes(word), count = section.body.split(word).length - 1;
    if (!inHeading && !count) return 0;
    const whole = new RegExp("(^|[^\\p{L}\\p{N}_])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "($|[^\\p{L}\\p{N}_])", "u");
    sum += (inHeading ? 20 : 0) + Math.min(count, 5) + (whole.test(section.heading) ? 20 : 0) + (whole.test(section.body) ? 4 : 0);
  }
  return sum;
}

function excerpt(section, words) {
  const at = Math.max(0, section.body.indexOf(words.find(word => section.body.includes(word)) || "") - 50);
  return (at ? "… " : "") + section.text.slice(at, at + 160) + " …";
}

function search() {
  const words = plain(box.value).split(/\s+/).filter(word => word.length > 1);
  found.hidden = !words.length;
  if (!words.length) return;
  const best = sections.map(section => [score(section, words), section]).filter(([sum]) => sum).sort((a, b) => b[0] - a[0]).slice(0, 12);
  found.replaceChildren(...best.map(([, section]) => {
    const link = document.createElement("a"), text = document.createElement("small");
    link.href = base + section.url;
    link.textContent = section.title === section.page ? section.page : section.page + " · " + section.title;
    text.textContent = excerpt(section, words);
    link.append(text);
    return link;
  }));
  if (!best.length) found.append(Object.assign(document.createElement("p"), { textContent: "Nothing found." }));
}

box.addEventListener("input", search);
box.addEventListener("focus", search);
document.addEventListener("click", event => { if (!event.target.closest("header")) found.hidden = true; });
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
  if (event.key === "Escape") { found.hidden = true; box.blur(); }
  const links = [...found.querySelectorAll("a")], at = links.indexOf(document.activeElement);
  if (found.hidden || !links.length || !["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
  if (event.key === "Enter") { if (document.activeElement === box) links[0].click(); return; }
  event.preventDefault();
  links[(at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length].focus();
});

document.getElementById("menu").addEventListener("click", event => {
  const isOpen = document.body.classList.toggle("open");
  event.currentTarget.setAttribute("aria-expanded", isOpen);
});
for (const block of document.querySelectorAll("main > .code, .sides .code")) {
  const button = Object.assign(document.createElement("button"), { textContent: "copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent);
    button.textContent = "copied";
  });
  if (!block.closest(".output")) block.append(button);
}
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });
