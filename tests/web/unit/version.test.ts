import assert from "node:assert/strict";
import { test } from "node:test";
import { Version } from "../../../web/dashboard/src/api/version";

class Form {
  isConnected = true;
  constructor(private readonly isSearch = false) {}
  closest() {
    return this.isSearch ? null : this;
  }
}

function setUp() {
  const version = new Version();
  const page = new EventTarget();
  version.watchForms(page);
  const send = (type: string, form: Form) => {
    const event = new Event(type);
    Object.defineProperty(event, "target", { value: form });
    page.dispatchEvent(event);
  };
  return { version, send };
}

test("Another bundle than the first one is newer, and listeners hear of it once", () => {
  const { version } = setUp();
  let heard = 0;
  version.subscribe(() => heard++);
  version.saw(undefined);
  version.saw("a");
  assert.equal(version.isNewer(), false);
  version.saw("b");
  version.saw("b");
  assert.equal(version.isNewer(), true);
  assert.equal(heard, 2);
  // The deployment was taken back.
  version.saw("a");
  assert.equal(version.isNewer(), false);
});

test("A navigation loads a newer bundle unless a form holds unsaved input", () => {
  const { version, send } = setUp();
  const form = new Form();
  version.saw("a");
  assert.equal(version.mayLoad(), false);
  version.saw("b");
  assert.equal(version.mayLoad(), true);
  send("input", new Form(true));
  assert.equal(version.mayLoad(), true);
  send("input", form);
  assert.equal(version.mayLoad(), false);
  send("submit", form);
  assert.equal(version.mayLoad(), true);
  send("input", form);
  form.isConnected = false;
  assert.equal(version.mayLoad(), true);
});
