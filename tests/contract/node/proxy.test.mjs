// Prism runs between a client and the running service, and validates both against the served document.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {Contract} from './support/contract.mjs';
import {bearer, client} from './support/http.mjs';
import {Place} from './support/place.mjs';
import {startService} from './support/service.mjs';
import {bin} from './support/tools.mjs';

/** Starts Prism with `document` in front of the service; returns a client of it. */
async function prism(t, service, document) {
  const file = path.join(path.dirname(service.dataDir), `${randomUUID()}.json`);
  fs.writeFileSync(file, JSON.stringify(document));
  const child = spawn(bin('prism'), ['proxy', file, service.url, '--errors', '--host', '127.0.0.1', '--port', '0'],
                      {stdio: ['ignore', 'pipe', 'pipe'], env: {...process.env, NODE_EXTRA_CA_CERTS: service.caFile}});
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said = (said + piece).slice(-20_000)));
  const ended = once(child, 'exit');
  let send;
  t.after(async () => {
    send?.close();
    child.kill();
    await ended;
  });
  const listening = /Prism is listening on (http:\S+)\n/;
  for (const until = Date.now() + 60_000; !listening.test(said); await delay(100))
    assert.ok(child.exitCode === null && Date.now() < until, `Prism does not listen:\n${said}`);
  send = client(listening.exec(said)[1]);
  return send;
}

/** Valid values of a query parameter or header, each to be sent once. */
function values(parameter, place) {
  const {name, schema} = parameter;
  if (name === 'wait') return ['1'];
  if (name === 'Prefer') return ['wait=1'];
  if (name === 'If-Match') return ['*'];
  if (name === 'If-None-Match') return ['"0-0"'];
  if (name === 'Idempotency-Key') return [randomUUID()];
  if (name === 'date') return ['2026-01-01'];
  if (name === 'location') return ['local'];
  if (name === 'from') return [new Date(Date.now() - 86_400_000).toISOString()];  // A series may not be longer.
  if (name === 'cursor') return [];  // Only a link contains one: it is followed below.
  if (schema.enum) return schema.enum;
  if (schema.type === 'boolean') return ['true', 'false'];
  if (schema.type === 'integer') return [schema.minimum, schema.default, schema.maximum].filter((one) => one !== undefined).map(String);
  if (schema.format === 'uuid') return [place.job];
  if (schema.format === 'date-time') return ['2026-01-01T00:00:00.000Z'];
  return ['standing'];
}

/** Every valid request of an operation: each documented body, parameter, media type and kind of token. */
async function* requests(operation, place, key) {
  const bodies = place.bodies(operation);
  const request = async (more = {}) => {
    const {target} = await place.target(operation);
    const body = 'body' in more ? more.body : bodies[0];
    return {
      target: target + (more.query ?? ''),
      body: body && JSON.stringify(body),
      headers: {
        ...(operation.isPublic ? {} : bearer(place.token)),
        ...(body && {'Content-Type': 'application/json'}),
        ...more.headers,
      },
    };
  };
  for (const body of bodies) yield request({body});
  if (operation.body && !operation.body.required) yield request({body: undefined});
  for (const parameter of operation.parameters) {
    for (const value of values(parameter, place)) {
      if (parameter.in === 'query') yield request({query: `?${parameter.name}=${encodeURIComponent(value)}`});
      if (parameter.in === 'header') yield request({headers: {[parameter.name]: value}});
    }
  }
  const types = Object.keys(operation.source.responses[operation.success].content ?? {});
  if (types.length > 1) for (const type of types) yield request({headers: {Accept: type}});
  if (operation.parameters.some((one) => one.name === 'cursor')) {
    const {target} = await place.target(operation);
    const page = await place.send('GET', `${target}?limit=1`, {headers: bearer(place.token)});
    const next = /<([^>]*)>; rel="next"/.exec(page.headers.link);
    if (next) yield {target: next[1].replace(/^https?:\/\/[^/]*/, ''), headers: bearer(place.token)};
  }
  if (operation.takesTriggerKey) yield {target: `/api/jobs/${key.jobId}/trigger`, headers: bearer(key.key)};
}

test('every valid request of every operation passes Prism\'s validation proxy', {timeout: 300_000}, async (t) => {
  const service = await startService();
  t.after(service.stop);
  const ca = fs.readFileSync(service.caFile);
  const place = new Place(service, ca);
  t.after(() => place.send.close());
  const document = JSON.parse((await place.send('GET', '/openapi/openapi.json')).body);
  const contract = new Contract(document);
  await place.furnish();
  const key = {jobId: service.jobId, key: service.triggerKey};
  const proxy = await prism(t, service, document);

  const passed = new Set();
  const complaints = [];
  let sent = 0;
  for (const operation of contract.operations.filter((one) => !one.isStream)) {
    for await (const {target, ...rest} of requests(operation, place, key)) {
      const answer = await proxy(operation.method, target, rest);
      const what = `${operation.method} ${target} ${rest.body ?? ''}: ${answer.status} ${answer.body.subarray(0, 500)}`;
      ++sent;
      const faults = contract.faults(operation, answer);
      if ('sl-violations' in answer.headers) faults.push(answer.headers['sl-violations']);
      if (answer.status >= 300) faults.push('no success');
      if (faults.length > 0) complaints.push(`${what}\n  ${faults.join('\n  ')}`);
      else passed.add(operation.id);
    }
  }
  assert.equal(complaints.join('\n'), '');
  assert.deepEqual(contract.operations.filter((one) => !passed.has(one.id)).map((one) => one.id), ['stream_run']);
  t.diagnostic(`${sent} requests of ${passed.size} operations, 0 violations`);
});

test('Prism sees what breaks the document', {timeout: 120_000}, async (t) => {
  const service = await startService();
  t.after(service.stop);
  const document = JSON.parse((await client(service.url, {ca: fs.readFileSync(service.caFile)})(
      'GET', '/openapi/openapi.json')).body);
  document.components.schemas.Liveness.properties.status.const = 'well';
  const proxy = await prism(t, service, document);
  const answer = await proxy('GET', '/livez');
  assert.match(answer.body.toString(), /errors#VIOLATIONS/);
  assert.ok(answer.status >= 400);
  assert.equal((await proxy('GET', '/readyz')).status, 200);
});
