// The recommended rules of both linters, without exceptions, on both forms of the document.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import {bin, documents, run} from './support/tools.mjs';

/** Findings of any severity. */
const linters = {
  async redocly(file) {
    const {out, err} = await run(bin('redocly'), ['lint', '--config', 'redocly.yaml', '--format', 'json', file]);
    assert.match(out, /"totals"/, err);
    return JSON.parse(out).problems.map((p) => `${p.severity} ${p.ruleId}: ${p.message} ${p.location[0]?.pointer}`);
  },
  async spectral(file) {
    const {out, err} = await run(bin('spectral'), ['lint', '--quiet', '--ruleset', 'spectral.yaml', '--format', 'json', file]);
    assert.match(out, /^\[/, err);
    return JSON.parse(out).map((p) => `${p.severity} ${p.code}: ${p.message} ${p.path.join('/')}`);
  },
};

for (const [name, lint] of Object.entries(linters)) {
  for (const [form, file] of Object.entries(documents)) {
    test(`${name} finds nothing in the document as ${form}`, async () => assert.deepEqual(await lint(file), []));
  }
}

test('both linters see a fault', async (t) => {
  const document = JSON.parse(fs.readFileSync(documents.json, 'utf8'));
  delete document.info.license;
  delete document.info.contact;
  delete document.servers;
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-contract-'));
  t.after(() => fs.rmSync(directory, {recursive: true}));
  const file = path.join(directory, 'faulty.json');
  fs.writeFileSync(file, JSON.stringify(document));
  for (const lint of Object.values(linters)) assert.notDeepEqual(await lint(file), []);
});

test('every operation has a summary, a description, and an example of each body', () => {
  const document = JSON.parse(fs.readFileSync(documents.json, 'utf8'));
  const resolve = (value) =>
      value?.$ref ? resolve(value.$ref.slice(2).split('/').reduce((at, key) => at[key], document)) : value;
  const exemplified = (media) =>
      'example' in media || 'examples' in media || (resolve(media.schema).examples ?? []).length > 0;
  const missing = [];
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item).filter((value) => value.operationId)) {
      for (const member of ['summary', 'description']) {
        if (!operation[member]) missing.push(`${operation.operationId}: ${member}`);
      }
      const bodies = {requestBody: operation.requestBody ?? {}, ...operation.responses};
      for (const [where, body] of Object.entries(bodies)) {
        for (const [type, media] of Object.entries(resolve(body).content ?? {})) {
          if (!exemplified(media)) missing.push(`${operation.operationId}: example of ${where} ${type}`);
        }
      }
    }
  }
  assert.equal(missing.join('\n'), '');
});
