import { expect, service } from "./fixtures.mjs";

/** Shows the details of a change of a job on a page of an audit trail, then only the creations by the sample user. */
export async function filterByActionAndActor(page, { id, name }) {
  const rows = page.locator("tbody tr");
  await expect(rows.first()).toContainText(`Changed job ${name}`);
  await page.getByRole("button", { name: `Details of: Changed job ${name}` }).click();
  await expect(page.getByRole("region", { name: `Details of: Changed job ${name}` })).toContainText(`name: ${name}`);
  await expect(page.locator(".row-details")).toContainText(id);
  await page.getByLabel("Action").fill("job.created");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page).toHaveURL(/[?&]action=job.created/);
  await expect(rows.first()).toContainText(`Created job ${name}`);
  await expect(rows.filter({ hasText: "job.updated" })).toHaveCount(0);
  await page.getByRole("combobox", { name: "Actor" }).fill("demo");
  await page.getByRole("option", { name: /Demo User/ }).click();
  await expect(page).toHaveURL(new RegExp(`actorId=${service.userId}`));
  await expect(rows.first()).toContainText(`Created job ${name}`);
}

/** Filters by days before all changes, which a reload keeps. */
export async function filterByEmptyDays(page) {
  await page.getByLabel("From").fill("2026-01-01");
  await page.getByLabel("To", { exact: true }).fill("2026-01-02");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No change matches these filters" })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("From")).toHaveValue("2026-01-01");
}
