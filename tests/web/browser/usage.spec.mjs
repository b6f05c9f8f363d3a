import { api, expect, project, test } from "./fixtures.mjs";

const LIMITS = "/dashboard/v1/limits";

test("quotas have the numbers of the API, and follow a change without a reload", async ({ page, request }) => {
  await page.goto(`${project}/usage`);
  const quotas = page.getByRole("table", { name: /^Quotas of/ });
  await expect(quotas.locator("tbody tr")).toHaveCount(Object.keys(await api(request, "GET", "/api/usage")).length);
  const { tags } = await api(request, "GET", "/api/usage");
  const row = quotas.getByRole("row", { name: /Tags/ });
  await expect(row).toContainText(`${tags.used} of ${tags.limit}`);
  await expect(row.getByRole("img")).toHaveAccessibleName(/\s%\sused$/);
  const made = await api(request, "POST", "/api/tags", { name: `usage-${Date.now()}` });
  await expect(row).toContainText(`${tags.used + 1} of ${tags.limit}`);
  await api(request, "DELETE", `/api/tags/${made.id}`);
  await expect(row).toContainText(`${tags.used} of ${tags.limit}`, { timeout: 30_000 });
});

test("rate limits show what the sample token has used, and count while the page is open", async ({ page, request }) => {
  await page.goto(`${project}/usage`);
  const limits = page.getByRole("table", { name: /^Rate limits of the credentials/ });
  const row = limits.getByRole("row", { name: /CLI token/ }).filter({ has: page.locator("code", { hasText: /^cli$/ }) }).first();
  await expect(row).toContainText(" in 60 s");
  const used = async () => Number(/(\d[\d\s]*) of /.exec(await row.innerText())[1].replaceAll(/\s/g, ""));
  await expect(async () => {
    // Requests leave the window meanwhile, so more are made than can leave it between two reads.
    const before = await used();
    for (let number = 0; number < 40; number++) await api(request, "GET", "/api/usage");
    await expect.poll(used, { timeout: 12_000 }).toBeGreaterThan(before);
  }).toPass({ timeout: 45_000 });
});

test("a credential at its limit is red, first, and named with its job", async ({ page }) => {
  const credential = (name, used, more = {}) => ({
    id: `01934f2e-3333-7d3e-9b1f-${String(used).padStart(12, "0")}`, kind: "cli", name, class: "cli", limit: 60, windowSeconds: 60, used,
    ...more,
  });
  await page.route((url) => url.pathname === LIMITS, (route) => route.fulfill({
    json: {
      credentials: [
        credential("calm", 3), credential("busy", 59, { resetAt: new Date().toISOString() }),
        credential("<b>nightly</b>", 60, {
          kind: "trigger", class: "trigger", jobId: "01934f2e-4444-7d3e-9b1f-5a2c8e4d6f70", jobName: "checkout",
        }),
      ],
    },
  }));
  await page.goto(`${project}/usage`);
  const rows = page.getByRole("table", { name: /^Rate limits/ }).locator("tbody tr");
  await expect(rows.nth(0)).toContainText("At its limit");
  await expect(rows.nth(0)).toContainText("Trigger key of checkout");
  await expect(rows.nth(0).getByRole("link", { name: "<b>nightly</b>" })).toHaveAttribute("href", /\/jobs\/01934f2e-4444-[^/]*\/keys$/);
  await expect(rows.nth(1)).toContainText("Nearly full");
  await expect(rows.nth(2)).toContainText("Below limit");
});

test("without Redis the page says why limits are missing, and quotas stay", async ({ page }) => {
  let isAway = true;
  const missing = { error: "Redis is unreachable.", code: "unavailable", requestId: "r1" };
  await page.route((url) => url.pathname === LIMITS, (route) =>
    isAway ? route.fulfill({ status: 503, headers: { "Retry-After": "1" }, json: missing }) : route.continue());
  await page.goto(`${project}/usage`);
  await expect(page.getByText("The use of rate limits is not known now")).toBeVisible();
  await expect(page.getByText("Request r1")).toBeVisible();
  await expect(page.getByRole("table", { name: /^Quotas of/ }).locator("tbody tr").first()).toBeVisible();
  isAway = false;
  await expect(page.getByRole("table", { name: /^Rate limits/ })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("The use of rate limits is not known now")).toHaveCount(0);
});
