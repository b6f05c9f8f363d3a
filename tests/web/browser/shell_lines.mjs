import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { service } from "./fixtures.mjs";

/**
 * Opens a home of its own. Returns what executes a line exactly as a page shows it, with the values of its variables, and what removes
 * the home.
 */
export function openShell() {
  const home = mkdtempSync(path.join(os.tmpdir(), "svc-lines-"));
  const execute = (line, variables = {}) =>
    execFileSync("sh", ["-c", line], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...variables,
        PATH: `${path.dirname(process.env.SVC_BIN)}:${process.env.PATH}`, HOME: home, SERVICE_TOKEN: service.token,
        SERVICE_URL: service.url, SERVICE_CACERT: service.caFile, CURL_CA_BUNDLE: service.caFile,
      },
    }).toString();
  return { execute, close: () => rmSync(home, { recursive: true, force: true }) };
}

/** Opens the panel of a page and returns its lines by their names. */
export async function linesOf(page) {
  await page.locator("summary", { hasText: "As API" }).click();
  const lines = {};
  for (const block of await page.locator(".as-api .code").all()) {
    lines[await block.locator(".code-head span").first().innerText()] = await block.locator("pre").innerText();
  }
  return lines;
}
