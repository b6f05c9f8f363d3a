// usage: node check.mjs FILE...   Rendered objects against the schemas of Kubernetes and of the Prometheus Operator, then as
// literals against their TypeScript types, which also refuse fields that do not exist; the schemas let those pass.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

const wrong = [];
const literals = [];

// The module with the model of an object: apps/v1 is a folder of that name, networking.k8s.io/v1 likewise, v1 stands alone.
function moduleOf(object) {
  const from = object.apiVersion.startsWith('monitoring.coreos.com') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${from}/${object.apiVersion}/${object.kind}`;
}

for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    wrong.push(...document.errors.map((each) => `${file}: ${each.message}`));
    const object = document.toJS();
    if (object === null) continue;
    const name = `${object.kind} ${object.metadata.name} of ${file}`;
    try {
      const model = (await import(moduleOf(object)))[object.kind];
      new model(object).validate();
    } catch (error) {
      wrong.push(`${name}: ${error.message}`);
      continue;
    }
    literals.push(`import type { I${object.kind} as T${literals.length} } from '${moduleOf(object)}';\n// ${name}\n`
      + `export const o${literals.length}: T${literals.length} = ${JSON.stringify(object, null, 1)};\n`);
  }
}
mkdirSync('node_modules/.objects', { recursive: true });
literals.forEach((text, i) => writeFileSync(`node_modules/.objects/o${i}.ts`, text));
const typed = spawnSync('node_modules/.bin/tsc', ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext',
  ...literals.map((_, i) => `node_modules/.objects/o${i}.ts`)], { encoding: 'utf8' });
if (typed.status !== 0) wrong.push(typed.stdout + typed.stderr);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log(`${literals.length} objects fit their schemas and types`);
