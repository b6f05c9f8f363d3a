// usage: node check.mjs FILE   (CycloneDX 1.5, by its strict JSON schema; every reference must lead somewhere)
import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';

const text = readFileSync(process.argv[2], 'utf8');
const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text);
if (wrong !== null) {
  console.error(JSON.stringify(wrong, null, 1));
  process.exit(1);
}
const bom = JSON.parse(text);
const known = new Set([bom.metadata.component, ...bom.components].map((each) => each['bom-ref']));
const lost = bom.dependencies.flatMap((each) => [each.ref, ...(each.dependsOn ?? [])]).filter((each) => !known.has(each));
if (lost.length > 0) {
  console.error(`no component: ${lost.join(', ')}`);
  process.exit(1);
}
