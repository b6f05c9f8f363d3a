// Generates the types of the client, api/generated/{public,dashboard}.ts, from the documents that tools/build_contract.py
// builds. They are not in the repository, so a page that uses a missing field does not compile. The public document itself,
// api/generated/public.json, is for the tests that compare the forms' defaults and bounds with it.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const root = path.dirname(fileURLToPath(import.meta.url));
const project = path.dirname(root);
const generated = path.join(root, "api/generated");
const scratch = mkdtempSync(path.join(os.tmpdir(), "svc-contract-"));
mkdirSync(generated, { recursive: true });
try {
  for (const [name, extra] of [["public", []], ["dashboard", ["dashboard"]]]) {
    const document = path.join(scratch, `${name}.json`);
    execFileSync("python3", [
      path.join(project, "tools/build_contract.py"), path.join(project, "openapi"),
      path.join(project, "src/http/error_table.cpp"), document, path.join(scratch, `${name}.yaml`),
      path.join(scratch, `${name}.hpp`), ...extra,
    ], { stdio: "inherit" });
    const ast = await openapiTS(JSON.parse(readFileSync(document, "utf8")), { defaultNonNullable: false });
    writeFileSync(path.join(generated, `${name}.ts`), astToString(ast));
    if (name === "public") copyFileSync(document, path.join(generated, "public.json"));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
