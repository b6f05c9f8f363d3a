// May this request pass? As svcd does it: the token's digest, a record kept for 30 s, and one call of svcd's own script
// (schema/redis/admit.lua) for all requests that ask in the same turn of the loop.
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {credential} from './statements.mjs';

const recordLife = 30_000;
const epochLife = '90000000';
const callersOfACall = 64;
const classes = {
  cli: {limit: 10_000_000, window: 1},
  trigger: {limit: 10_000_000, window: 1},
};

export class Refusal extends Error {
  constructor(status, code) {
    super(code);
    Object.assign(this, {statusCode: status, code});
  }
}

/** Gathers the decisions of one turn into one EVALSHA. */
class SharedScript {
  #redis;
  #waiting = [];

  constructor(redis) {
    this.#redis = redis;
    const script = (name) => readFileSync(new URL(`../../schema/redis/${name}`, import.meta.url), 'utf8');
    redis.defineCommand('admit', {lua: script('window_head.lua') + script('admit.lua')});
  }

  decide(keys, argv) {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#send());
      this.#waiting.push({keys, argv, resolve, reject});
    });
  }

  async #send() {
    const all = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < all.length; i += callersOfACall) {
      const some = all.slice(i, i + callersOfACall);
      const keys = some.flatMap((one) => one.keys);
      this.#redis.admit(keys.length, ...keys, ...some.flatMap((one) => one.argv)).then(
        (replies) => some.forEach((one, n) => one.resolve(replies[n])),
        (error) => some.forEach((one) => one.reject(error)));
    }
  }
}

export class Admission {
  #pool;
  #script;
  #records = new Map();

  constructor(pool, redis) {
    this.#pool = pool;
    this.#script = new SharedScript(redis);
  }

  /** The token's record; throws a Refusal. `reply` gets the fields about the limit. */
  async pass(request, reply, kind) {
    const given = request.headers.authorization;
    if (!given?.startsWith('Bearer ')) throw new Refusal(401, 'missing_token');
    const digest = createHash('sha256').update(given.slice(7)).digest('base64');
    let record = this.#records.get(digest);
    let mode = 'cached';
    for (;;) {
      if (!record || record.until < Date.now()) {
        record = await this.#read(digest);
        mode = 'fresh';
      }
      const verdict = await this.#ask(record, mode, kind);
      if (verdict[0] === 'STALE') {
        record = undefined;
        continue;
      }
      this.#tell(reply, verdict, kind);
      if (verdict[0] !== 'OK') throw new Refusal(429, 'rate_limited');
      return record;
    }
  }

  async #read(digest) {
    const {rows} = await this.#pool.query({...credential, values: [Buffer.from(digest, 'base64')]});
    if (rows.length === 0) throw new Refusal(401, 'invalid_token');
    const record = {...rows[0], until: Date.now() + recordLife};
    this.#records.set(digest, record);
    return record;
  }

  #ask(record, mode, kind) {
    const {limit, window} = classes[kind];
    return this.#script.decide([`peer:{${record.subject}}:w:${kind}:${window}`, `peer:{${record.subject}}:e`],
      [mode, record.epoch, limit, window * 1_000_000, mode === 'fresh' ? epochLife : '0']);
  }

  #tell(reply, [, , now, remaining, reset], kind) {
    const {limit, window} = classes[kind];
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': Math.ceil(reset / 1e6),
      'ratelimit-policy': `"${kind}";q=${limit};w=${window}`,
      'ratelimit': `"${kind}";r=${remaining};t=${Math.ceil((reset - now) / 1e6)}`,
    });
  }
}
