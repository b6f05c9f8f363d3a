// `svcd dev` with a separate data directory, for one test program.
import {spawn} from 'node:child_process';
import dgram from 'node:dgram';
import {once} from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const classes = ['CLI', 'TRIGGER_DEFAULT', 'ANONYMOUS', 'FEED', 'HEALTH', 'HEARTBEAT', 'PROBE', 'REFUSED',
  'PROJECT', 'RUNNER', 'CLAIM', 'SESSION', 'SIGN_IN'];

/** Limits that no test here reaches, and deadlines for the stores of a loaded machine. */
const generous = {
  ...Object.fromEntries(classes.map((name) => [`SVC_LIMITS_${name}_LIMIT`, '100000'])),
  SVC_PAGES_PER_PROJECT: '1000',
  SVC_AUTH_UNSEEN_READS: '100000',
  SVC_REDIS_DEADLINE: '5s',
  SVC_POSTGRES_STATEMENT_TIMEOUT: '60s',
  SVC_HTTP_DEADLINE: '60s',
  // No request is refused for how long others wait for their turn.
  SVC_HTTP_QUEUE_TIME: '0s',
};

/** The length of a message's only question: its name, type and class. */
function questionLength(message) {
  let end = 12;
  while (message[end] > 0) end += message[end] + 1;
  return end + 5 - 12;
}

/**
 * Starts a name server that knows no name: what is checked, and what providers are sent, leaves no machine, and the
 * proof of a domain has an answer.
 */
async function startNames() {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (message, {port, address}) => {
    if (message.length < 17) return;
    const answer = Buffer.from(message.subarray(0, 12 + questionLength(message)));
    answer.writeUInt16BE(0x8183, 2);  // an answer, with recursion: NXDOMAIN
    answer.fill(0, 6, 12);            // no record
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/**
 * Starts the service; resolves with the output of `--print json` (url, caFile, token, ...), `errors()` (its standard
 * error so far) and `stop()`, which ends it with its stores and fails when the exit code is not 0.
 */
export async function startService() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-contract-'));
  fs.chmodSync(directory, 0o711);  // the user of the stores passes through
  const names = await startNames();
  const resolver = {SVC_CHECKS_RESOLVERS: `127.0.0.1:${names.address().port}`};
  const child = spawn(
      process.env.SVC_BIN,
      ['dev', '--data-dir', `${directory}/data`, '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--print', 'json', '--no-runner'],
      {stdio: ['ignore', 'pipe', 'pipe'], env: {...process.env, ...generous, ...resolver}});
  let errors = '';
  child.stderr.on('data', (piece) => (errors = (errors + piece).slice(-100_000)));
  const ended = once(child, 'exit');
  const killAtExit = () => child.kill('SIGTERM');
  process.on('exit', killAtExit);

  const line = await Promise.race([once(readline.createInterface(child.stdout), 'line'), ended.then(() => null)]);
  if (line === null) names.close();
  if (line === null) throw new Error(`svcd dev has ended:\n${errors}`);
  const service = JSON.parse(line[0]);

  const stop = async () => {
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    process.off('exit', killAtExit);
    names.close();
    fs.rmSync(directory, {recursive: true, force: true});
    if (code !== 0) throw new Error(`svcd dev ended with ${code ?? signal}:\n${errors}`);
  };
  return {...service, errors: () => errors, stop};
}
