import { api, createJob, project, test } from "./fixtures.mjs";
test("look", async ({ page, request }) => {
  test.setTimeout(300_000);
  const stamp = Date.now();
  const empty = [["overview-empty", "/overview"], ["tests-empty", "/tests"], ["tags-empty", "/tags"], ["variables-empty", "/variables"]];
  for (const [name, path] of empty) { await page.goto(project + path); await page.waitForTimeout(1500); await page.screenshot({ path: `/tmp/look/${name}.png` }); }
  const ok = await createJob(request, "Checkout", "#!/bin/sh\necho hello; exit 0\n", { cronSchedule: "*/30 * * * *" });
  const bad = await createJob(request, "Nightly regression with a rather long name that nobody shortened", "#!/bin/sh\nexit 1\n");
  for (let i = 0; i < 4; i++) { await api(request, "POST", `/api/jobs/${ok}/trigger?wait=20`, {}); await api(request, "POST", `/api/jobs/${bad}/trigger?wait=20`, {}); }
  for (let i = 0; i < 12; i++) await api(request, "POST", "/api/tags", { name: `tag-${i}`, color: "#1f883d" }).catch(() => {});
  for (let i = 0; i < 6; i++) await api(request, "POST", "/api/variables", { key: `BASE_URL_${i}`, value: "https://shop.example.com", isSecret: i % 2 === 0 }).catch(() => {});
  await api(request, "POST", "/api/monitors", { name: "down one", type: "website", target: "http://127.0.0.1:1/", frequencyMinutes: 1, config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } } });
  await api(request, "POST", "/api/monitors", { name: "down two", type: "website", target: "http://127.0.0.1:2/", frequencyMinutes: 1, config: { timeoutSeconds: 5, retryStrategy: { maxRetries: 0 } } });
  const script = (await api(request, "POST", "/api/tests", { title: `Log in and pay`, type: "browser", script: 'import { test, expect } from "@playwright/test";\n\ntest("pay", async ({ page }) => {\n  await page.goto("https://shop.example.com");\n  await expect(page).toHaveTitle(/Shop/);\n});\n' })).id;
  const sh = (await api(request, "POST", "/api/tests", { title: `shell one`, type: "command", script: '#!/bin/sh\nset -eu\nfor i in 1 2 3; do\n  echo "line $i"\ndone\n' })).id;
  await page.waitForTimeout(8000);
  const variable = (await api(request, "GET", "/api/variables")).data[0].id;
  const pages = [["overview", "/overview"], ["usage", "/usage"], ["tests", "/tests"], ["test-new", "/tests/new"], ["test", `/tests/${script}`], ["shell", `/tests/${sh}`], ["tags", "/tags"], ["variables", "/variables"], ["variable", `/variables/${variable}`], ["variable-new", "/variables/new"], ["audit", "/audit"], ["jobs", "/jobs"], ["monitors", "/monitors"]];
  for (const [scheme, width] of [["light", 1280], ["dark", 390]]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    for (const [name, path] of pages) { await page.goto(project + path); await page.waitForTimeout(1200); await page.screenshot({ path: `/tmp/look/${name}-${width}.png`, fullPage: width === 390 }); }
    for (const [name, path] of [["api", "/app/api"], ["operation", "/app/api?operation=create_monitor"]]) { await page.goto(path); await page.waitForTimeout(1200); await page.screenshot({ path: `/tmp/look/${name}-${width}.png` }); }
  }
  await page.setViewportSize({ width: 1280, height: 900 }); await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${project}/tests/${sh}`); await page.waitForTimeout(1000);
  await page.getByRole("button", { name: /Execute/ }).first().click(); await page.waitForTimeout(5000);
  await page.screenshot({ path: `/tmp/look/executed.png` });
  await page.goto(`${project}/jobs`); await page.waitForTimeout(1000); await page.keyboard.press("Control+k"); await page.waitForTimeout(500); await page.keyboard.type("check"); await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/look/palette.png` });
});
