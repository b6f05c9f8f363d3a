// Programs of npm packages, and the location of the built contract.
import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import path from 'node:path';

export const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The merged documents, as the service embeds them. */
export const documents = {json: `${process.env.TEST_CONTRACT}.json`, yaml: `${process.env.TEST_CONTRACT}.yaml`};

export const bin = (name) => path.join(here, 'node_modules/.bin', name);

/** Runs a program to its end: {code, out, err}. It never fails by itself. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {cwd: here, stdio: ['ignore', 'pipe', 'pipe'], ...options});
    let out = '';
    let err = '';
    child.stdout.on('data', (piece) => (out += piece));
    child.stderr.on('data', (piece) => (err += piece));
    child.on('error', reject);
    child.on('close', (code) => resolve({code, out, err}));
  });
}
