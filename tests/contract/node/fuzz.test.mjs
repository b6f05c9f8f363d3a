// Sends requests generated from the contract, good and spoiled, to the running service: no 5xx, every status declared,
// every body as its schema says, and what the contract forbids is refused.
// TEST_FUZZ_REQUESTS: how many (5000). TEST_FUZZ_SEED: which ones; the short form has a fixed seed, so that a failure of
// the gate is caused by the change.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import fs from 'node:fs';
import test from 'node:test';
import {Contract} from './support/contract.mjs';
import {Place} from './support/place.mjs';
import {Pools} from './support/pools.mjs';
import {Requests} from './support/requests.mjs';
import {startService} from './support/service.mjs';
import {documents} from './support/tools.mjs';

const total = Number(process.env.TEST_FUZZ_REQUESTS ?? 5000);
const fixed = process.env.TEST_FUZZ_REQUESTS === undefined ? 20261122 : Math.floor(Math.random() * 0x7fffffff);
const seed = Number(process.env.TEST_FUZZ_SEED ?? fixed);
const workers = 8;
/** Further ones of an operation of which none has succeeded. */
const mostRounds = 20;

/** Turns the plan into a request: ids of existing resources are chosen now. */
async function realized(operation, plan, pools) {
  const path = await pools.path(operation, plan.ids);
  const query = plan.query.filter(Boolean).map(
      ({name, value}) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const headers = Object.fromEntries(plan.headers.filter(Boolean).map(({name, value}) => [name, value]));
  if (plan.token?.value !== undefined) headers.Authorization = `Bearer ${plan.token.value}`;
  if (plan.body?.text !== undefined) headers['Content-Type'] = plan.body.type;
  const parts = [...plan.ids, ...plan.query, ...plan.headers, plan.token, plan.body];
  return {
    target: path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers,
    body: plan.body?.text,
    broken: parts.some((part) => part?.broken),
  };
}

test('the judge sees each fault', () => {
  const contract = new Contract(JSON.parse(fs.readFileSync(documents.json, 'utf8')));
  const operation = contract.operations.find((one) => one.id === 'get_variable');
  const good = contract.document.components.schemas.Variable.examples[0];
  const refused = {error: 'e', code: 'not_found', requestId: 'r'};
  const cases = [
    {name: 'a good answer', status: 200, body: good, expected: ''},
    {name: 'a good refusal', status: 404, body: refused, expected: ''},
    {name: 'a common refusal', status: 405, body: {...refused, code: 'method_not_allowed'}, expected: ''},
    {name: 'a member lacks', status: 200, body: {...good, key: undefined}, expected: /key/},
    {name: 'a member too many', status: 200, body: {...good, more: 1}, expected: /additional/},
    {name: 'a wrong format', status: 200, body: {...good, createdAt: 'now'}, expected: /date-time/},
    {name: 'a status of the 5xx', status: 500, body: {...refused, code: 'internal_error'}, expected: /5xx/},
    {name: 'an undeclared status', status: 409, body: {...refused, code: 'name_taken'}, expected: /not declared/},
    {name: 'another content type', status: 200, body: good, type: 'text/html', expected: /content type/},
    {name: 'another request id', status: 404, body: {...refused, requestId: 'x'}, expected: /requestId/},
    {name: 'an empty body', status: 200, body: undefined, expected: /no JSON/},
    {name: 'a body of 304', status: 304, body: good, expected: /a body/},
  ];
  for (const {name, status, body, type = 'application/json', expected} of cases) {
    const headers = {'content-type': type, 'x-request-id': 'r'};
    const faults = contract.faults(operation, {status, headers, body: Buffer.from(JSON.stringify(body) ?? '')});
    if (expected === '') assert.deepEqual(faults, [], name);
    else assert.match(faults.join('\n'), expected, name);
  }
});

test(`${total} requests, seed ${seed}`, {timeout: 3_600_000}, async (t) => {
  const service = await startService();
  t.after(service.stop);
  const place = new Place(service, fs.readFileSync(service.caFile));
  t.after(() => place.send.close());
  const contract = new Contract(JSON.parse((await place.send('GET', '/openapi/openapi.json')).body));
  await place.furnish();
  const pools = new Pools(place);
  const requests = new Requests(contract, place);
  const classes = {};
  const succeeded = new Set();
  let sent = 0;

  const play = async (operation, plan) => {
    const {target, broken, ...rest} = await realized(operation, plan, pools);
    const answer = await place.send(operation.method, target, {...rest, endless: operation.isStream});
    ++sent;
    const kind = `${broken ? 'spoiled' : 'good'} ${Math.floor(answer.status / 100)}xx`;
    classes[kind] = (classes[kind] ?? 0) + 1;
    const faults = contract.faults(operation, answer);
    if (broken && Math.floor(answer.status / 100) !== 4) faults.push('not refused, although the contract forbids it');
    if (answer.status < 300) succeeded.add(operation.id);
    await pools.note(operation, target, answer);
    assert.ok(faults.length === 0,
              `${operation.method} ${target}\n${JSON.stringify(rest)}\n${answer.status} ` +
                  `${answer.body.subarray(0, 600)}\n${faults.join('\n')}`);
  };

  const waiting = contract.operations.map((operation, index) => ({operation, index}));
  const share = Math.ceil(total / waiting.length);
  // What works outside waits there for seconds.
  const runs = (operation) => operation.worksOutside ? Math.ceil(share / 10) : share;
  const found = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const {operation, index} = next;
      const property = fc.asyncProperty(requests.of(operation), (plan) => play(operation, plan));
      const run = (round) =>
          fc.assert(property,
                    {seed: seed + index + round * total, numRuns: runs(operation), interruptAfterTimeLimit: 1_200_000})
              .catch((failure) => found.push(`${operation.id}: ${failure.message}\n${failure.cause?.message ?? ''}`));
      await run(0);
      // What others delete meanwhile is chance: an operation may need several rounds until one request succeeds.
      for (let round = 1; round <= mostRounds && !succeeded.has(operation.id) && found.length === 0; ++round)
        await run(round);
    }
  };
  await Promise.all(Array.from({length: workers}, work));
  for (const failure of found) console.error(failure, '\n');
  if (found.length > 0) console.error(`The service said last:\n${service.errors().slice(-3000)}`);
  assert.equal(found.length, 0, `${found.length} operations break the contract; the first request of each is above`);
  assert.deepEqual(contract.operations.map((one) => one.id).filter((id) => !succeeded.has(id)), []);
  t.diagnostic(`${sent} requests of ${contract.operations.length} operations: ${JSON.stringify(classes)}`);
});
