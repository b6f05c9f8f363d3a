import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecret, typedSecrets } from "../../../web/dashboard/src/pages/monitors/form/secrets";
import { PROVIDER_FIELDS } from "../../../web/dashboard/src/pages/providers/provider_form_values";
import { MASK } from "../../../web/dashboard/src/parts/secret_input";

test("Only secrets that somebody typed are left out of lines", () => {
  const config = {
    auth: { type: "bearer", username: "ada", password: MASK, token: "battery staple" },
    headers: { "X-Api-Key": "correct horse", Accept: "{{ACCEPT}}", Old: MASK }, signingSecret: "generate", timeoutSeconds: 5,
  };
  assert.deepEqual(typedSecrets({ name: "shop", config }), ["/config/auth/token", "/config/headers/X-Api-Key"]);
  assert.deepEqual(typedSecrets({ config: { auth: null, headers: { "X-Api-Key": null } } }), []);
  assert.deepEqual(typedSecrets({ name: "shop" }), []);
  assert.deepEqual(typedSecrets({ config: { token: "" } }), []);
});

test("All masked fields of providers are secrets of lines and conflicts", () => {
  for (const fields of Object.values(PROVIDER_FIELDS)) {
    for (const field of fields) {
      const expected = field.kind === "secret" || field.kind === "signing";
      if (field.kind !== "headers") assert.equal(isSecret(`/config/${field.name}`), expected, field.name);
    }
  }
});
