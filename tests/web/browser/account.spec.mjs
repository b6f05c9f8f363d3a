import { expect, project, service, test } from "./fixtures.mjs";

test("an empty password is named at its field, and an own token or key leads to the list that rotates and revokes it", async ({ page }) => {
  await page.goto("/app/account/password");
  const field = page.getByLabel("New password", { exact: true });
  await field.press("Enter");
  await expect(page.getByText("Enter a new password.")).toBeVisible();
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await field.fill("x");
  await expect(page.getByText("Enter a new password.")).toHaveCount(0);

  await page.goto("/app/account/tokens");
  const rowOf = (kind) => page.getByRole("row", { name: new RegExp(`demo ${kind} svc_`) });
  const link = (kind) => rowOf(kind).getByRole("link", { name: "demo", exact: true });
  await expect(link("CLI token")).toHaveAttribute("href", `${project}/tokens`);
  await link("Trigger key").click();
  await expect(page).toHaveURL(`${service.url}${project}/jobs/${service.jobId}/keys`);
});
