import { execFileSync } from "node:child_process";
import { expect, service, test } from "./fixtures.mjs";

// A user of their own, because other tests start with the only project of theirs.
test.use({ storageState: { cookies: [], origins: [] } });

const EMAIL = "addresses@example.com";

/** Makes an organisation with this short name and a project in it; returns a link that signs its owner in. */
function makeOrganization(slug, project) {
  const printed = execFileSync(process.env.SVC_BIN, [
    "admin", "bootstrap", "--config", service.configFile, "--email", EMAIL, "--name", "Owner of words", "--organization", slug,
    "--project", project, "--json",
  ]);
  return service.url + /\/app\/link#\S+/.exec(JSON.parse(printed).link)[0];
}

const heading = (page, name) => page.getByRole("heading", { name, exact: true, level: 1 });

test("organisations whose short names are words of the dashboard have all their pages", async ({ page }) => {
  makeOrganization("go", "shop");
  makeOrganization("assets", "shop");
  await page.goto(makeOrganization("account", "tokens"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(heading(page, "Your projects")).toBeVisible();
  const places = [["go", "shop"], ["account", "tokens"], ["assets", "shop"]];
  const links = [];
  for (const [slug, project] of places) {
    links.push(await page.locator(`main a[href^="/app/_${slug}/${project}/"]`).first().getAttribute("href"));
  }
  for (const [at, [slug, project]] of places.entries()) {
    await page.goto(links[at]);
    await expect(page).toHaveURL(new RegExp(`${service.url}/app/_${slug}/${project}/`));
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await expect(heading(page, "Runs")).toBeVisible();
    await page.reload();
    await expect(heading(page, "Runs")).toBeVisible();
    await expect(page).toHaveURL(`${service.url}/app/_${slug}/${project}/runs`);
    await page.getByRole("link", { name: "Organisation" }).click();
    await expect(page).toHaveURL(`${service.url}/app/_${slug}/_/members`);
    await expect(page.getByRole("row", { name: /Owner of words/ })).toBeVisible();
  }
  // The own pages keep their addresses.
  for (const [address, name] of [["/app/account/tokens", "Your account"], ["/app/go/job/1", /was not found, or is not yours$/]]) {
    await page.goto(address);
    await expect(heading(page, name)).toBeVisible();
    await expect(page).toHaveURL(service.url + address);
  }
});
