// A client generated from the contract compiles in TypeScript's strict mode, and works against the running service.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {startService} from './support/service.mjs';
import {bin, documents, here, run} from './support/tools.mjs';

const generated = path.join(here, 'generated');

async function must(command, args, options) {
  const {code, out, err} = await run(command, args, options);
  assert.equal(code, 0, `${path.basename(command)}:\n${out}${err}`);
}

test('the generated client compiles in strict mode and does what a user would do', async (t) => {
  fs.rmSync(generated, {recursive: true, force: true});
  await must(bin('openapi-typescript'), [
    documents.json, '--default-non-nullable', 'false', '--output', path.join(generated, 'contract.ts')]);
  await must(bin('tsc'), ['--project', 'tsconfig.json']);
  const service = await startService();
  t.after(service.stop);
  const env = {...process.env, NODE_EXTRA_CA_CERTS: service.caFile, TEST_URL: service.url, TEST_TOKEN: service.token};
  await must(process.execPath, [path.join(generated, 'client/smoke.js')], {env});
});
