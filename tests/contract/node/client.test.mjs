// Programs of others at both ends: a client generated from the contract compiles in TypeScript's strict mode and works
// against the running service, and a receiver of webhooks verifies what the service signs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';
import {Webhook} from 'standardwebhooks';
import {Place} from './support/place.mjs';
import {startService} from './support/service.mjs';
import {bin, documents, here, run} from './support/tools.mjs';

const generated = path.join(here, 'generated');

async function must(command, args, options) {
  const {code, out, err} = await run(command, args, options);
  assert.equal(code, 0, `${path.basename(command)}:\n${out}${err}`);
}

/** What the receiver got, once somebody has posted to it. */
function received(server) {
  return new Promise((resolve) => server.once('request', (request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      response.end();
      resolve({headers: request.headers, body: Buffer.concat(pieces).toString()});
    });
  }));
}

async function verifyWebhook(service) {
  const server = http.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const place = new Place(service, fs.readFileSync(service.caFile));
  try {
    const url = `http://127.0.0.1:${server.address().port}/hook`;
    const made = await place.must('POST', '/api/notification-providers', {
      name: 'signed', type: 'webhook', config: {url, signingSecret: 'generate'}});
    const at = `/api/notification-providers/${made.id}`;
    const next = await place.must('PATCH', at, {config: {signingSecret: 'generate'}});
    const [got, answer] = await Promise.all([received(server), place.must('POST', `${at}/test`)]);
    assert.equal(answer.reason, 'delivered');
    for (const secret of [made.signingSecret, next.signingSecret])
      assert.equal(new Webhook(secret).verify(got.body, got.headers).data.test, true);
    const stranger = new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`);
    assert.throws(() => stranger.verify(got.body, got.headers), /No matching signature/);
    assert.throws(() => new Webhook(made.signingSecret).verify(`${got.body} `, got.headers), /No matching signature/);
  } finally {
    place.send.close();
    server.close();
  }
}

test('the generated client compiles in strict mode and does what a user would do', async (t) => {
  fs.rmSync(generated, {recursive: true, force: true});
  await must(bin('openapi-typescript'), [
    documents.json, '--default-non-nullable', 'false', '--output', path.join(generated, 'contract.ts')]);
  await must(bin('tsc'), ['--project', 'tsconfig.json']);
  const service = await startService();
  t.after(service.stop);
  await t.test('a signed webhook is verified by both secrets, and by no other', () => verifyWebhook(service));
  const env = {...process.env, NODE_EXTRA_CA_CERTS: service.caFile, TEST_URL: service.url, TEST_TOKEN: service.token};
  await must(process.execPath, [path.join(generated, 'client/smoke.js')], {env});
});
