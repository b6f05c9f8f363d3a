// Checks the sources of the pages: sizes of files, and words that the Content-Security-Policy or the specification forbids.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));
const project = path.dirname(root);
const MOST_LINES = 300;
// Copies of the design, which have their own rules.
const COPIES = new Set(["web/dashboard/src/styles/tokens.css", "web/dashboard/src/styles/components.css"]);
const SKIPPED = new Set(["node_modules", "generated"]);

const RULES = [
  ["HTML from text; write text nodes", /\bdangerouslySetInnerHTML\b|\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write\b|\bcreateContextualFragment\b|\bDOMParser\b/],
  ["inline style; use a class or an SVG attribute", /\bstyle=|<style\b|\bcssText\b|setAttribute\(\s*["'`]style|\.style\b(?!\w)/],
  ["code from text", /\beval\(|\bnew Function\b/],
  ["service worker; nothing is stored on disk", /\bserviceWorker\b|\bcaches\.open\b|\bindexedDB\b/],
  ["web font; the design uses system fonts", /@font-face|\bFontFace\b|\.woff2?\b/],
  ["EventSource; it hides status codes (api/run_stream.ts)", /\bnew EventSource\b/],
  ["a request to another origin", /\b(?:fetch|import|Request)\(\s*["'`](?:https?:)?\/\//],
  ["a link to a new tab without rel=\"noopener noreferrer\"", /target="_blank"(?!\s+rel="noopener noreferrer")/],
];

function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* filesOf(file);
    } else if (/\.(?:tsx?|m?js|css|html)$/.test(entry.name)) yield file;
  }
}

let wrong = 0;
const report = (place, message) => {
  console.error(`lint: ${place}: ${message}`);
  wrong++;
};

for (const file of [...filesOf(root), ...filesOf(path.join(project, "tests/web"))]) {
  const name = path.relative(project, file);
  if (COPIES.has(name) || file === fileURLToPath(import.meta.url)) continue;
  const lines = readFileSync(file, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length > MOST_LINES) report(name, `${lines.length} lines; at most ${MOST_LINES}`);
  lines.forEach((line, at) => {
    for (const [message, pattern] of RULES) if (pattern.test(line)) report(`${name}:${at + 1}`, message);
    if (/\s$/.test(line)) report(`${name}:${at + 1}`, "space at the end of the line");
    if (line.length > 140 && !line.includes("data:image")) report(`${name}:${at + 1}`, "more than 140 characters");
  });
}
process.exitCode = wrong ? 1 : 0;
