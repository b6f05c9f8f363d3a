// Builds the dashboard: `node build.mjs --out DIR [--mark TEXT]`. A mark gives all files other names, for tests of two bundles.
//
// DIR gets index.html (a template with {{nonce}} and {{theme}}), boot.js, assets/{name}-{hash}.{ext}, for each file but the
// template a .br and a .gz next to it, and manifest.json. Equal sources give equal bytes: names carry hashes of contents,
// and every list is sorted. The build fails if a bound of the table below is exceeded.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import esbuild from "esbuild";

const root = path.dirname(fileURLToPath(import.meta.url));
const KiB = 1024;
const BOUNDS = {
  template: 2 * KiB,
  // Script of the sign-in page and styles, in gzip.
  signInScript: 120 * KiB,
  // Script of the first page of a project, and its number of files.
  // 240 KiB are promised. What opens over a page (pages/later_pages.ts) is not part of it, and would not fit.
  projectScript: 175 * KiB,
  projectFiles: 6,
  styles: 20 * KiB,
  // Script that draws charts; it loads when the first chart is shown.
  charts: 25 * KiB,
  // Script of the editor; it loads when the first script is shown.
  editor: 155 * KiB,
  // All files in all encodings, because the program embeds them.
  bundle: 3 * 1024 * KiB,
};
// The oldest browsers that know light-dark() and subgrid.
const TARGETS = ["chrome123", "firefox120", "safari17.5"];
// Chromium compiles all functions of a file with this first line beside the main thread, instead of each one when it is first called.
const COMPILE_ALL = Buffer.from("//# allFunctionsCalledOnLoad\n");
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

const sha = (bytes, length) => createHash("sha256").update(bytes).digest("hex").slice(0, length);
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function compressed(bytes) {
  return {
    br: zlib.brotliCompressSync(bytes, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
        [zlib.constants.BROTLI_PARAM_LGWIN]: 24,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    gz: zlib.gzipSync(bytes, { level: 9 }),
  };
}

// Returns the outputs of esbuild as {path, bytes}, the metafile, and the names of the entry's script and styles.
async function bundle(mark) {
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { main: "dashboard/src/main.tsx" },
    outdir: "out",
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    assetNames: "assets/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    metafile: true,
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    target: TARGETS,
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".svg": "file" },
    logLevel: "warning",
    ...(mark ? { banner: { js: `/* ${mark} */`, css: `/* ${mark} */` } } : {}),
  });
  const outputs = Object.entries(result.metafile.outputs);
  const entry = outputs.find(([, value]) => value.entryPoint === "dashboard/src/main.tsx");
  const strip = (name) => name.replace(/^out\//, "");
  return {
    files: result.outputFiles.map((file) => ({
      path: path.relative(path.join(root, "out"), file.path).split(path.sep).join("/"),
      bytes: Buffer.from(file.contents),
    })),
    metafile: result.metafile,
    entry: strip(entry[0]),
    styles: strip(entry[1].cssBundle),
  };
}

// Returns the licenses of all bundled packages as one text, because their authors ask for that.
function licenses(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const texts = [...packages].sort(byName).map((folder) => {
    const about = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(path.join(root, folder)).sort(byName).find((name) => /^licen[cs]e/i.test(name));
    const text = file ? readFileSync(path.join(root, folder, file), "utf8").trim() : `License: ${about.license}`;
    return `${about.name} ${about.version}\n\n${text}\n`;
  });
  return Buffer.from(texts.join(`\n${"-".repeat(80)}\n\n`));
}

// Returns the scripts that load with these entries: they and their static imports.
function scriptsOf(metafile, entries) {
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const one of metafile.outputs[name].imports) {
      if (one.kind === "import-statement" && !one.external) visit(one.path);
    }
  };
  for (const entry of entries) visit(`out/${entry}`);
  return [...seen].map((name) => name.replace(/^out\//, ""));
}

// Returns the names of all scripts that load on demand.
function groups(metafile) {
  return Object.entries(metafile.outputs)
    .filter(([name, value]) => name.endsWith(".js") && value.entryPoint).map(([name]) => name.replace(/^out\//, ""));
}

// Returns the script whose source has this name.
function groupOf(metafile, source) {
  const found = Object.entries(metafile.outputs).find(([, value]) => value.entryPoint?.endsWith(`/${source}`));
  return found[0].replace(/^out\//, "");
}

function demand(what, size, bound) {
  console.log(`${what}: ${(size / KiB).toFixed(1)} KiB of ${(bound / KiB).toFixed(0)}`);
  if (size > bound) throw new Error(`${what} has ${size} bytes; at most ${bound} are allowed`);
}

async function main(out, mark) {
  const { files, metafile, entry, styles } = await bundle(mark);
  const notice = licenses(metafile);
  files.push({ path: `assets/licenses-${sha(notice, 8).toUpperCase()}.txt`, bytes: notice });
  const notices = files.at(-1).path;
  const boot = await esbuild.transform(readFileSync(path.join(root, "dashboard/src/boot.js"), "utf8"), {
    minify: true, target: TARGETS, legalComments: "none",
  });
  files.push({ path: "boot.js", bytes: Buffer.from(boot.code) });
  const first = scriptsOf(metafile, [entry]);
  const app = Object.entries(metafile.outputs).find(([, value]) => value.entryPoint === "dashboard/src/app.tsx")[0];
  const project = scriptsOf(metafile, [entry, app.replace(/^out\//, "")]);
  for (const file of files) if (project.includes(file.path)) file.bytes = Buffer.concat([COMPILE_ALL, file.bytes]);
  const editorEntry = groupOf(metafile, "code_editor.ts");
  const later = scriptsOf(metafile, groups(metafile).filter((name) => name !== editorEntry))
    .filter((name) => !project.includes(name)).sort(byName);
  // The editor is as large as all other pages, so it loads only with a page that shows a script.
  const editor = scriptsOf(metafile, [editorEntry]).filter((name) => !project.includes(name) && !later.includes(name)).sort(byName);
  const addresses = (names) => names.map((name) => `/app/${name}`).sort(byName);
  const preload = addresses(first).map((name) => `<link rel="modulepreload" href="${name}">`).join("\n");
  const template = readFileSync(path.join(root, "dashboard/index.html"), "utf8")
    .replaceAll("{{entry}}", `/app/${entry}`)
    .replaceAll("{{styles}}", `/app/${styles}`)
    .replaceAll("{{first}}", addresses(first).join(" "))
    .replaceAll("{{app}}", addresses(project.filter((name) => !first.includes(name))).join(" "))
    .replaceAll("{{later}}", addresses(later).join(" "))
    .replaceAll("{{editor}}", addresses(editor).join(" "))
    .replaceAll("{{licenses}}", `/app/${notices}`)
    .replaceAll("{{preload}}", preload);
  files.push({ path: "index.html", bytes: Buffer.from(template) });
  files.sort((a, b) => byName(a.path, b.path));

  rmSync(out, { recursive: true, force: true });
  mkdirSync(path.join(out, "assets"), { recursive: true });
  const digest = createHash("sha256");
  const manifest = { bundle: "", entry, files: [] };
  const zipped = new Map();
  let total = 0;
  for (const file of files) {
    digest.update(`${file.path}\0${file.bytes.length}\0`).update(file.bytes);
    writeFileSync(path.join(out, file.path), file.bytes);
    const sizes = { identity: file.bytes.length };
    if (file.path !== "index.html") {
      for (const [ext, bytes] of Object.entries(compressed(file.bytes))) {
        writeFileSync(path.join(out, `${file.path}.${ext}`), bytes);
        sizes[ext] = bytes.length;
      }
    }
    zipped.set(file.path, sizes.gz);
    total += Object.values(sizes).reduce((sum, size) => sum + size, 0);
    manifest.files.push({ path: file.path, type: TYPES[path.extname(file.path)], sizes });
  }
  manifest.bundle = digest.digest("hex").slice(0, 16);
  writeFileSync(path.join(out, "manifest.json"), `${JSON.stringify(manifest, null, 1)}\n`);

  demand("template", template.length, BOUNDS.template);
  const sizeOf = (names) => names.reduce((sum, name) => sum + zipped.get(name), 0);
  demand("script of the sign-in page", sizeOf(first), BOUNDS.signInScript);
  demand("script of the first page of a project", sizeOf(project), BOUNDS.projectScript);
  if (project.length > BOUNDS.projectFiles) throw new Error(`the first page of a project has ${project.length} files`);
  demand("script of charts", zipped.get(groupOf(metafile, "line_chart.ts")), BOUNDS.charts);
  demand("script of the editor", sizeOf(editor), BOUNDS.editor);
  demand("styles", zipped.get(styles), BOUNDS.styles);
  demand("bundle", total, BOUNDS.bundle);
  console.log(`bundle ${manifest.bundle} in ${out}`);
}

const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const out = argument("--out");
if (!out) {
  console.error("usage: node build.mjs --out DIR [--mark TEXT]");
  process.exit(2);
}
await main(path.resolve(out), argument("--mark"));
