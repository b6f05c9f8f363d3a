import { expect, service } from "./fixtures.mjs";
import { admin, newLinkSecret } from "./foreign_sites.mjs";

/** Creates a member of the sample organisation with a role in the sample project; returns name, address and id. */
export function addPerson(name, role) {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@example.com`;
  const { id } = admin("create-user", "--email", email, "--name", name);
  admin("add-member", "--organization", "demo", "--user", email, "--role", "org_member");
  admin("add-member", "--project", "demo/demo", "--user", email, "--role", role);
  return { name, email, id };
}

export const removePerson = ({ email }) => admin("remove-member", "--organization", "demo", "--user", email);

/** Signs a user in by a link; ends at the first page. */
export async function signInByLink(page, user) {
  await page.goto(`${service.url}/app/link#${newLinkSecret(user)}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("button", { name: /account of/ })).toBeVisible();
}

/** Opens a browser of its own in which this person has signed in. */
export async function openBrowser(browser, person) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: service.url, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await signInByLink(page, person.id);
  return { context, page };
}
