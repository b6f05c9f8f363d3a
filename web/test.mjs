// Compiles tests/web/unit/*.test.ts and runs them with node --test. Arguments are passed on to node.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const root = path.dirname(fileURLToPath(import.meta.url));
const folder = path.join(path.dirname(root), "tests/web/unit");
const names = readdirSync(folder).filter((name) => name.endsWith(".test.ts")).sort();
if (!names.length) throw new Error(`${folder} has no tests`);
const compiled = mkdtempSync(path.join(os.tmpdir(), "svc-web-tests-"));
try {
  await esbuild.build({
    entryPoints: names.map((name) => path.join(folder, name)),
    outdir: compiled,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node18",
    format: "esm",
    sourcemap: "inline",
    nodePaths: [path.join(root, "node_modules")],
    logLevel: "warning",
  });
  writeFileSync(path.join(compiled, "package.json"), '{"type": "module"}\n');
  const files = names.map((name) => path.join(compiled, name.replace(/\.ts$/, ".mjs")));
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...process.argv.slice(2), ...files], {
    stdio: "inherit", env: { ...process.env, WEB_FOLDER: root },
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(compiled, { recursive: true, force: true });
}
