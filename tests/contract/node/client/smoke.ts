// A program as a user of the generated client would write it: creates, reads, changes and deletes one of everything.
// Reads TEST_URL and TEST_TOKEN from the environment; NODE_EXTRA_CA_CERTS names the service's CA.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type {components, paths} from '../generated/contract.js';

type RunStatus = components['schemas']['RunStatus'];

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const baseUrl = setting('TEST_URL');
const api = createClient<paths>({baseUrl, headers: {Authorization: `Bearer ${setting('TEST_TOKEN')}`}});

/** The body of an answer that must be a success. */
function body<T>(answer: {data?: T; error?: unknown; response: Response}): T {
  assert.ok(answer.response.ok, `${answer.response.status} ${JSON.stringify(answer.error)}`);
  assert.ok(answer.data !== undefined, `${answer.response.url} has no body`);
  return answer.data;
}

function gone(answer: {error?: {code: string}; response: Response}) {
  assert.equal(answer.response.status, 404);
  assert.equal(answer.error?.code, 'not_found');
}

async function tests() {
  // @ts-expect-error: the compiler sees what the contract does not name.
  const misspelt: components['schemas']['CreateTest'] = {title: 'smoke', skript: 'echo ok'};
  assert.equal((await api.POST('/api/tests', {body: misspelt})).error?.code, 'validation_failed');
  const made = body(await api.POST('/api/tests', {body: {title: 'smoke', type: 'command', script: 'echo ok'}}));
  const at = {params: {path: {id: made.id}}};
  const list = body(await api.GET('/api/tests', {params: {query: {search: 'smok', limit: 5}}}));
  assert.ok(list.data.some((one) => one.id === made.id));
  assert.equal(list.pagination.limit, 5);
  const changed = body(await api.PATCH('/api/tests/{id}', {...at, body: {priority: 'high'}}));
  assert.equal(changed.priority, 'high');
  const read = body(await api.GET('/api/tests/{id}', {params: {...at.params, query: {includeScript: true}}}));
  assert.equal(read.script, 'echo ok');
  return made.id;
}

async function jobs(test: string) {
  const made = body(await api.POST('/api/jobs', {
    body: {name: 'nightly', jobType: 'command', tests: [{id: test}], parameters: [{name: 'BRANCH', default: 'main'}]},
  }));
  const at = {params: {path: {id: made.id}}};
  assert.ok(body(await api.GET('/api/jobs', {})).data.some((one) => one.id === made.id));
  const changed = body(await api.PATCH('/api/jobs/{id}', {...at, body: {enabled: true, timeoutSeconds: 60}}));
  assert.equal(changed.timeoutSeconds, 60);
  assert.deepEqual(body(await api.GET('/api/jobs/{id}', at)).tests, [{id: test}]);
  return made.id;
}

async function runs(job: string) {
  const accepted = body(await api.POST('/api/jobs/{id}/trigger', {
    params: {path: {id: job}, header: {'Idempotency-Key': 'smoke'}},
    body: {parameters: {BRANCH: 'feature'}},
  }));
  const at = {params: {path: {id: accepted.data.runId}}};
  const run = body(await api.GET('/api/runs/{id}', at));
  assert.deepEqual(run.parameters, {BRANCH: 'feature'});
  assert.ok(body(await api.GET('/api/runs', {params: {query: {jobId: job}}})).data.some((one) => one.id === run.id));
  assert.equal(body(await api.POST('/api/runs/{id}/cancel', at)).status, 'cancelled' satisfies RunStatus);
  assert.equal((await api.DELETE('/api/runs/{id}', at)).response.status, 204);
  gone(await api.GET('/api/runs/{id}', at));
}

/** With a job's own key, as a pipeline does it. */
async function pipeline(job: string) {
  const {triggerKey} = body(await api.POST('/api/jobs/{id}/trigger-keys', {
    params: {path: {id: job}},
    body: {name: 'pipeline', rateLimit: {limit: 20, windowSeconds: 60}},
  }));
  assert.ok(triggerKey.key !== undefined);
  const key = createClient<paths>({baseUrl, headers: {Authorization: `Bearer ${triggerKey.key}`}});
  const accepted = body(await key.POST('/api/jobs/{id}/trigger', {params: {path: {id: job}}}));
  assert.equal(accepted.data.triggeredBy, 'pipeline');
  body(await api.POST('/api/runs/{id}/cancel', {params: {path: {id: accepted.data.runId}}}));
}

async function variables() {
  const made = body(await api.POST('/api/variables', {body: {key: 'PASSWORD', value: 's3cret', isSecret: true}}));
  assert.equal(made.value, undefined);
  const at = {params: {path: {id: made.id}}};
  assert.ok(body(await api.GET('/api/variables', {})).data.some((one) => one.key === 'PASSWORD'));
  assert.equal(body(await api.PATCH('/api/variables/{id}', {...at, body: {description: 'of the shop'}})).description,
               'of the shop');
  assert.equal((await api.DELETE('/api/variables/{id}', at)).response.status, 204);
  gone(await api.GET('/api/variables/{id}', at));
}

async function tags(test: string) {
  const made = body(await api.POST('/api/tags', {body: {name: 'smoke', color: '#1f883d'}}));
  const at = {params: {path: {id: made.id}}};
  const worn = body(await api.PUT('/api/tests/{id}/tags', {params: {path: {id: test}}, body: {tags: [{id: made.id}]}}));
  assert.deepEqual(worn.tags.map((tag) => tag.name), ['smoke']);
  assert.equal(body(await api.PATCH('/api/tags/{id}', {...at, body: {name: 'slow'}})).name, 'slow');
  assert.ok(body(await api.GET('/api/tags', {})).data.some((one) => one.id === made.id));
  assert.equal((await api.DELETE('/api/tags/{id}', at)).response.status, 204);
  gone(await api.PATCH('/api/tags/{id}', {...at, body: {name: 'late'}}));
  gone(await api.GET('/api/tags/{id}', at));
}

async function monitors() {
  const made = body(await api.POST('/api/monitors', {
    body: {
      name: 'shop',
      type: 'http_request',
      target: 'https://shop.example.org/',
      config: {method: 'HEAD', auth: {type: 'bearer', token: 's3cret'}},
    },
  }));
  assert.deepEqual(made.maskedFields, ['/config/auth/token']);
  const at = {params: {path: {id: made.id}}};
  assert.ok(body(await api.GET('/api/monitors', {params: {query: {search: 'sho'}}})).data.some((one) => one.id === made.id));
  assert.equal(body(await api.PATCH('/api/monitors/{id}', {...at, body: {frequencySeconds: 90}})).frequencyMinutes, 2);
  assert.equal(body(await api.POST('/api/monitors/{id}/pause', at)).status, 'paused');
  assert.equal(body(await api.GET('/api/monitors/{id}/stats', at)).period, '30d');
  assert.deepEqual(body(await api.GET('/api/monitors/{id}/outages', at)).data, []);
  assert.deepEqual(body(await api.GET('/api/alerts', {params: {query: {targetId: made.id, type: 'monitor_failure'}}})).data, []);
  assert.equal((await api.DELETE('/api/monitors/{id}', at)).response.status, 204);
  assert.ok(body(await api.POST('/api/monitors/{id}/restore', at)).deletedAt === null);
}

async function cliTokens() {
  const {token} = body(await api.POST('/api/cli-tokens', {body: {name: 'generated client', expiresIn: 3600}}));
  assert.ok(token.key !== undefined);
  const at = {params: {path: {id: token.id}}};
  const own = createClient<paths>({baseUrl, headers: {Authorization: `Bearer ${token.key}`}});
  assert.equal(body(await own.GET('/api/auth/whoami', {})).id, token.id);
  const {token: disabled} = body(await api.PATCH('/api/cli-tokens/{id}', {...at, body: {enabled: false}}));
  assert.equal(disabled.enabled, false);
  const refused = await own.GET('/api/auth/whoami', {});
  assert.equal(refused.response.status, 401);
  assert.equal(refused.error?.code, 'token_disabled');
  assert.equal((await api.DELETE('/api/cli-tokens/{id}', at)).response.status, 204);
  gone(await api.GET('/api/cli-tokens/{id}', at));
}

const test = await tests();
const job = await jobs(test);
await runs(job);
await pipeline(job);
await variables();
await tags(test);
await monitors();
await cliTokens();
assert.equal((await api.DELETE('/api/jobs/{id}', {params: {path: {id: job}}})).response.status, 204);
assert.equal((await api.DELETE('/api/tests/{id}', {params: {path: {id: test}}})).response.status, 204);
gone(await api.GET('/api/tests/{id}', {params: {path: {id: test}}}));
