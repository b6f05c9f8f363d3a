import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { OWN_WORDS, addressRewrite, namedProject, pageAddress, swapOwnWord } from "../../../web/dashboard/src/pages/page_address";

const folder = path.join(process.env.WEB_FOLDER!, "dashboard/src");
const source = (name: string) => readFileSync(path.join(folder, name), "utf8");

function* sources(within = ""): Generator<string> {
  for (const entry of readdirSync(path.join(folder, within), { withFileTypes: true })) {
    const name = path.join(within, entry.name);
    if (entry.isDirectory()) yield* sources(name);
    else if (/\.tsx?$/.test(name)) yield name;
  }
}

test("An organisation and an own page with the same word have two addresses, in both directions", () => {
  for (const word of OWN_WORDS) {
    for (const rest of ["", "/", "/shop", "/shop/jobs", "/_/members", "/a.b/%20"]) {
      assert.equal(swapOwnWord(`/${word}${rest}`), `/_${word}${rest}`);
      assert.equal(swapOwnWord(`/_${word}${rest}`), `/${word}${rest}`);
    }
  }
  const others = ["/", "", "/acme", "/acme/shop", "/accounts/shop", "/acme/account", "/_/account", "/_acme/shop", "/__go/shop", "/_"];
  for (const other of others) {
    assert.equal(swapOwnWord(other), other, other);
  }
  assert.equal(pageAddress("/go/shop/jobs"), "/app/_go/shop/jobs");
  assert.equal(pageAddress("/acme/shop/jobs"), "/app/acme/shop/jobs");
});

test("An address names a project by two short names, and an own page or one of an organisation names none", () => {
  assert.deepEqual(namedProject("/app/acme/shop"), ["acme", "shop"]);
  assert.deepEqual(namedProject("/app/acme/shop-2/jobs/new"), ["acme", "shop-2"]);
  assert.deepEqual(namedProject("/app/app/shop/jobs"), ["app", "shop"]);
  for (const word of OWN_WORDS) {
    assert.equal(namedProject(`/app/${word}/shop/jobs`), undefined, word);
    assert.deepEqual(namedProject(`/app/_${word}/shop/jobs`), [word, "shop"]);
  }
  for (const other of ["/app", "/app/", "/app/acme", "/app/acme/", "/app/acme/_/members", "/app/acme/_", "/app/_acme/shop", "/acme/"]) {
    assert.equal(namedProject(other), undefined, other);
  }
});

test("Search and fragment of an address stay as they are", () => {
  const url = addressRewrite.input({ url: new URL("https://a.example/_go/shop/runs?search=%2Fgo%2F#L1") });
  assert.equal(url.href, "https://a.example/go/shop/runs?search=%2Fgo%2F#L1");
  assert.equal(addressRewrite.output({ url }).href, "https://a.example/_go/shop/runs?search=%2Fgo%2F#L1");
});

test("Each first word that the dashboard owns has another path in the routes", () => {
  const owned = [
    ...[...source("router.tsx").matchAll(/getParentRoute: \(\) => (?:root|signedIn),\s+path: "\/([^/"$]*)/g)].map((one) => one[1]!),
    ...[...source("main.tsx").matchAll(/"\/app\/([^/"]+)"/g)].map((one) => `_${one[1]}`),
  ].filter(Boolean);
  assert.ok(owned.includes("_account") && owned.includes("_sign-in"), owned.join());
  for (const word of owned) assert.ok(word.startsWith("_") && OWN_WORDS.has(word.slice(1)), `${word} hides an organisation`);
});

test("The file that starts the pages knows the same words", () => {
  const [, words] = /const OWN_WORDS = (\[.*\]);/.exec(source("boot.js")) ?? [];
  assert.deepEqual(JSON.parse(words!), [...OWN_WORDS]);
});

test("No link of the router names an own page as an organisation", () => {
  const links = new RegExp(`\\bto[=:]\\s*"/(?:${[...OWN_WORDS].join("|")})(?=["/])`);
  for (const name of sources()) assert.doesNotMatch(source(name), links, name);
});
