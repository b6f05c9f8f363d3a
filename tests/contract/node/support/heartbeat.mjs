// A monitor of type heartbeat with a key, made in the database.
import {execFileSync} from 'node:child_process';
import {randomBytes, randomUUID} from 'node:crypto';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 (ISO-HDLC) of ASCII text. */
function crc32(text) {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Six digits of base 62 end each key. */
function withChecksum(text) {
  let rest = crc32(text);
  let sum = '';
  for (let i = 0; i < 6; ++i, rest = Math.floor(rest / 62)) sum = digits[rest % 62] + sum;
  return text + sum;
}

/** The key of a new heartbeat in the job's project. */
export function makeHeartbeat(postgresUrl, job) {
  const key = withChecksum('svc_beat_' + Array.from(randomBytes(24), (byte) => digits[byte % 62]).join(''));
  const id = randomUUID();
  execFileSync('psql', [postgresUrl, '-qv', 'ON_ERROR_STOP=1', '-c', `
    INSERT INTO monitors (id, project_id, name, type, frequency_minutes, attempts_seconds, config, created_by)
    SELECT '${id}', j.project_id, 'standing', 'heartbeat', 5, 60, '{"schedule":{"everySeconds":3600}}',
           (SELECT id FROM users LIMIT 1) FROM jobs j WHERE j.id = '${job}';
    INSERT INTO monitor_status (monitor_id) VALUES ('${id}');
    INSERT INTO check_states (monitor_id, location_id, check_version)
    VALUES ('${id}', '00000000-0000-0000-0000-000000000000', 1);
    INSERT INTO heartbeats (monitor_id) VALUES ('${id}');
    INSERT INTO heartbeat_keys (digest, monitor_id, sealed, key_id)
    VALUES (sha256('${key}'), '${id}', '', gen_random_uuid())`]);
  return key;
}
