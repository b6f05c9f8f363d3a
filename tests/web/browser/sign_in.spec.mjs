// The sign-in by a person who makes mistakes: errors at their fields, and the way back for a forgotten password.
import { expect, test } from "./fixtures.mjs";

test.use({ storageState: { cookies: [], origins: [] } });

test("an incomplete sign-in names each missing field, goes to the first one and keeps what was typed", async ({ page }) => {
  await page.goto("/app/sign-in");
  const [email, password] = [page.getByLabel("E-mail"), page.getByLabel("Password")];
  await page.getByRole("button", { name: "Sign in with password" }).click();
  await expect(email).toBeFocused();
  await expect(email).toHaveAccessibleDescription("Enter your e-mail.");
  await expect(password).toHaveAccessibleDescription("Enter your password.");
  await page.keyboard.type("somebody@example.com");
  await page.keyboard.press("Enter");
  await expect(password).toBeFocused();
  await expect(email).toHaveAccessibleDescription("");
  await expect(email).toHaveValue("somebody@example.com");
  await expect(page.getByText("ask the operator for a sign-in link")).toBeVisible();
  await expect(page.getByRole("link", { name: "Forgot your password?" })).toHaveCount(0);
});

test("the link to the recovery comes after the password, and a refused request leads back to the address", async ({ page }) => {
  await page.route("**/dashboard/v1/sign-in/methods", (route) => route.fulfill({ json: { password: true, oidc: [], recovery: true } }));
  await page.route("**/dashboard/v1/sign-in/recovery", (route) => route.fulfill({
    status: 429, contentType: "application/json", headers: { "Retry-After": "120" },
    json: { code: "too_many_attempts", error: "Too many attempts." },
  }));
  await page.goto("/app/sign-in");
  await expect(page).toHaveTitle(/^Sign in/);
  await page.getByLabel("E-mail").fill("somebody@example.com");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Password")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Forgot your password?" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveTitle(/^Recover your account/);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription(/^Too many attempts\. Try again in 2 min/);
  await expect(page.getByLabel("E-mail")).toBeFocused();
});

test("a person who forgot the password asks for a link by mail, and Back leads to the methods with the address", async ({ page }) => {
  // The test's service sends no mail.
  await page.route("**/dashboard/v1/sign-in/methods", (route) => route.fulfill({ json: { password: true, oidc: [], recovery: true } }));
  const asked = [];
  await page.route("**/dashboard/v1/sign-in/recovery", (route) => {
    asked.push(route.request().postDataJSON());
    return route.fulfill({ status: 202, json: { linkSeconds: 3600 } });
  });
  await page.goto("/app/sign-in");
  await page.getByLabel("E-mail").fill("somebody@example.com");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expect(page.getByRole("heading", { name: "Recover your account" })).toBeVisible();
  await expect(page.getByLabel("E-mail")).toHaveValue("somebody@example.com");
  await page.goBack();
  await expect(page.getByLabel("E-mail")).toHaveValue("somebody@example.com");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("button", { name: "Send link" }).dblclick();
  const answer = page.locator(".gate-card").getByRole("status");
  await expect(answer).toContainText("If an account has the address somebody@example.com, a link is on its way");
  await expect(answer).toBeFocused();
  expect(asked).toEqual([{ email: "somebody@example.com" }]);
  await page.getByRole("link", { name: "Back to sign-in" }).click();
  await expect(page.getByRole("button", { name: "Sign in with password" })).toBeVisible();
});
