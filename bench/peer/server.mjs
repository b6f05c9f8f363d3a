// A tuned Node service that answers the measured requests as svcd does: TLS 1.3, a process for each core, prepared
// statements, records of tokens in memory, one INSERT for each trigger, an access log written in blocks.
//
// Environment: PEER_PORT, PEER_CERT, PEER_KEY, PEER_POSTGRES (URL), PEER_REDIS (path of a socket), PEER_LOG (file).
import cluster from 'node:cluster';
import {createHash, randomFillSync} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import Fastify from 'fastify';
import {Redis} from 'ioredis';
import pg from 'pg';
import pino from 'pino';
import {Admission, Refusal} from './admission.mjs';
import * as sql from './statements.mjs';

const noBody = createHash('sha256').update('{}').digest('hex');
const random = new Uint8Array(4096);
let drawn = random.length;

/** A UUIDv7, as svcd's ids are. */
function newId() {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const bytes = Buffer.from(random.subarray(drawn, (drawn += 16)));
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const startedOf = (run) => ({id: run.run_id, status: run.run_status, startedAt: run.run_started_at,
                             completedAt: run.run_completed_at, durationMs: null});

const jobOf = (row) => ({
  id: row.id, name: row.name, description: null, jobType: row.job_type, tests: row.tests.map(({id}) => ({id})),
  cronSchedule: null, timeZone: 'UTC', enabled: row.enabled, timeoutSeconds: row.timeout_seconds,
  maxConcurrentRuns: null, parameters: [], alertConfig: null, status: row.run_status ?? 'pending',
  lastRun: row.run_id ? startedOf(row) : null, lastRunAt: row.run_queued_at, nextRunAt: null,
  testCount: row.tests.length, createdBy: row.created_by, createdAt: row.created_at, updatedAt: row.updated_at,
});

async function serve() {
  const pool = new pg.Pool({connectionString: process.env.PEER_POSTGRES, max: 16});
  const redis = new Redis({path: process.env.PEER_REDIS, db: 1});
  const admission = new Admission(pool, redis);
  const one = async (statement, values) => (await pool.query({...statement, values})).rows[0];
  const log = pino(pino.destination({dest: process.env.PEER_LOG, sync: false, minLength: 8192}));
  const app = Fastify({
    logger: false,
    keepAliveTimeout: 600_000,
    genReqId: newId,
    https: {cert: readFileSync(process.env.PEER_CERT), key: readFileSync(process.env.PEER_KEY), minVersion: 'TLSv1.3'},
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const kind = request.method === 'POST' ? 'trigger' : 'cli';
    request.who = await admission.pass(request, reply, kind);
  });
  app.addHook('onResponse', async (request, reply) => {
    log.info({requestId: request.id, route: request.routeOptions.url, method: request.method, status: reply.statusCode,
              durationUs: Math.round(reply.elapsedTime * 1000), client: request.ip, tokenId: request.who?.id}, 'request');
  });
  app.setErrorHandler((error, request, reply) => {
    reply.code(error.statusCode ?? 500).send({error: error.message, code: error.code, requestId: request.id});
  });

  app.get('/api/auth/whoami', ({who}, reply) => {
    reply.send({id: who.id, kind: who.kind, name: who.name, project: {id: who.project_id},
                organization: {id: who.organization_id}, user: {id: who.owner_id, name: who.owner_name},
                role: who.role, limits: {limit: 10_000_000, windowSeconds: 1}});
  });
  app.get('/api/tests/:id', async ({who, params}, reply) => {
    const test = await one(sql.oneTest, [who.project_id, params.id]);
    if (!test) throw new Refusal(404, 'not_found');
    reply.header('etag', `"${test.version}"`);
    return {id: test.id, title: test.title, description: test.description, type: test.type, priority: test.priority,
            tags: [], createdAt: test.created_at, updatedAt: test.updated_at};
  });
  app.get('/api/jobs', async ({who}) => {
    const {rows} = await pool.query({...sql.jobsOfProject, values: [who.project_id]});
    return {data: rows.map(jobOf), pagination: {page: 1, limit: 20, total: Number(rows[0]?.total ?? 0)}};
  });
  app.get('/api/runs/:id/status', async ({who, params}) => {
    const run = await one(sql.runStatus, [who.project_id, params.id]);
    if (!run) throw new Refusal(404, 'not_found');
    return {id: run.id, jobId: run.job_id, status: run.status, startedAt: run.started_at,
            completedAt: run.completed_at, durationMs: null, errorDetails: run.error_details};
  });
  app.post('/api/jobs/:id/trigger', async (request, reply) => {
    const {who, params, headers} = request;
    if (who.job_id !== params.id) throw new Refusal(403, 'permission_denied');
    const key = headers['idempotency-key'];
    const id = newId();
    const values = [id, who.project_id, params.id, who.name, who.id, newId(), who.organization_id, who.owner_id,
                    who.owner_name, request.ip, headers['user-agent'], request.id];
    let run = key ? await one(sql.keyedTrigger, [...values, key, noBody]) : await one(sql.trigger, values);
    if (!run && key) run = await one(sql.keptRun, [params.id, key]);
    if (!run) throw new Refusal(404, 'not_found');
    reply.code(202);
    return {success: true, message: 'The run is queued.',
            data: {jobId: params.id, jobName: run.job_name, runId: run.id ?? id, status: 'queued',
                   testCount: run.test_count, triggeredBy: who.name, triggeredAt: run.queued_at}};
  });
  await app.listen({host: '127.0.0.1', port: Number(process.env.PEER_PORT)});
}

if (cluster.isPrimary) {
  for (let i = 0; i < availableParallelism(); ++i) cluster.fork();
  process.on('SIGTERM', () => process.exit(0));
} else {
  process.on('disconnect', () => process.exit(0));
  await serve();
}
