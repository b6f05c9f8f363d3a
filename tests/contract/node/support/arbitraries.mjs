// Generates values from JSON Schema: those that fit, and those that do not. Ajv decides what fits, not the generator.
import fc from 'fast-check';

const longest = 60;  // of generated strings; bounds of the schema are also hit exactly

const formats = {
  'date-time': fc.date({noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2090-01-01')})
                   .map((date) => date.toISOString()),
  'cron': fc.constantFrom('0 6 * * mon-fri', '*/5 * * * *', '0 0 29 2 *', '0 0 30 2 *', '99 * * * *', 'nonsense'),
  'cidr': fc.constantFrom('203.0.113.0/24', '2001:db8::/32', '0.0.0.0/0', '203.0.113.7/24', '1.2.3.4/33', 'x'),
};

/** The value as a parser would return it: generators make objects without a prototype. */
const plain = (value) => value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** Whether Ajv can validate it: when it compares items, it calls members with these names. */
const judgeable = (value) => !/"(valueOf|toString)":/.test(JSON.stringify(value));

/** Text of every kind: ordinary names, and text that breaks code which confuses bytes with characters. */
const text = (size) => fc.oneof(
    fc.string({...size, unit: 'grapheme'}), fc.string({...size, unit: 'binary'}),
    fc.array(fc.constantFrom('\0', '\n', '"', '\\', '%', '_', "'", '\u202e', 'ß', '😀', ' ', '$1'),
             size).map((parts) => parts.join('')));

function strings(schema, uuids) {
  if (schema.format === 'uuid') return fc.oneof({weight: 4, arbitrary: uuids}, fc.uuid());
  if (schema.format) return formats[schema.format];
  const {minLength = 0, maxLength = longest} = schema;
  const shown = schema.examples ?? [];
  const free = schema.pattern ?
      fc.stringMatching(new RegExp(schema.pattern, 'u')) :
      fc.oneof(text({minLength, maxLength: Math.min(maxLength, longest)}),
               fc.constant('x'.repeat(Math.min(maxLength, 10_000))));
  return shown.length > 0 ? fc.oneof({weight: 4, arbitrary: free}, fc.constantFrom(...shown)) : free;
}

export class Arbitraries {
  /** `uuids` generates ids of existing resources. */
  constructor(contract, uuids) {
    this.contract = contract;
    this.uuids = uuids;
  }

  /** Values made from the schema; nearly all fit. */
  near(schema) {
    const s = this.contract.resolve(schema);
    if ('const' in s) return fc.constant(s.const);
    if (s.enum) return fc.constantFrom(...s.enum);
    if (s.oneOf) return fc.oneof(...s.oneOf.map((one) => this.near(one)));
    return fc.oneof(...[s.type].flat().map((type) => this.#typed(type, s)));
  }

  #typed(type, s) {
    switch (type) {
      case 'null': return fc.constant(null);
      case 'boolean': return fc.boolean();
      case 'integer': {
        const {minimum: min = -1_000_000, maximum: max = 1_000_000} = s;
        return fc.oneof(fc.integer({min, max}), fc.constantFrom(min, max));
      }
      case 'number': return fc.double({min: s.minimum ?? -1e6, max: s.maximum ?? 1e6, noNaN: true});
      case 'string': return strings(s, this.uuids);
      case 'array': {
        const size = {minLength: s.minItems ?? 0, maxLength: Math.min(s.maxItems ?? 5, 5)};
        return s.uniqueItems ? fc.uniqueArray(this.near(s.items), {...size, selector: JSON.stringify}) :
                               fc.array(this.near(s.items), size);
      }
      case 'object': return this.#object(s);
      default: throw new Error(`no values of type ${type}`);
    }
  }

  #object(s) {
    const members = Object.entries(s.properties ?? {}).map(([name, schema]) => [name, this.near(schema)]);
    const named = fc.record(Object.fromEntries(members), {requiredKeys: s.required ?? []});
    if (typeof s.additionalProperties !== 'object') return named;
    const names = s.propertyNames ? this.near(s.propertyNames) : text({minLength: 1, maxLength: 20});
    return fc.dictionary(names, this.near(s.additionalProperties), {maxKeys: Math.min(s.maxProperties ?? 4, 4)});
  }

  fitting(schema, fits) {
    return this.near(schema).map(plain).filter((value) => judgeable(value) && fits(value));
  }

  /** A value that fits but for one place. */
  breaking(schema, fits) {
    const change = fc.oneof(
        fc.jsonValue({maxDepth: 2}).map((value) => () => value),
        fc.constantFrom(null, true, -1, 0, 1.5, 1e300, '', 'x'.repeat(10_001), [], {}).map((value) => () => value),
        fc.constant((old) => Array.isArray(old) ? [...old, ...old] : [old]),
        fc.constant((old) => typeof old === 'string' ? `${old}\0` : typeof old === 'number' ? -old - 1 : JSON.stringify(old)),
        fc.tuple(fc.string({minLength: 1}), fc.jsonValue({maxDepth: 1})).map(
            ([name, value]) => (old) => old && typeof old === 'object' && !Array.isArray(old) ? {...old, [name]: value} : value),
        fc.constant((old) => old && typeof old === 'object' ? {} : undefined));
    return fc.tuple(this.near(schema), fc.nat(), change)
        .map(([value, place, make]) => plain(changed(value, place, make)))
        .filter((value) => value !== undefined && judgeable(value) && !fits(value));
  }
}

function placesOf(value, at = []) {
  const inside = value && typeof value === 'object' ? Object.entries(value) : [];
  return [at, ...inside.flatMap(([key, child]) => placesOf(child, [...at, key]))];
}

/** A copy of the value with one place, chosen by number, replaced; undefined removes it. */
function changed(value, number, make) {
  const places = placesOf(value);
  const place = places[number % places.length];
  if (place.length === 0) return make(value);
  const copy = structuredClone(value);
  const last = place.at(-1);
  const parent = place.slice(0, -1).reduce((at, key) => at[key], copy);
  const made = make(parent[last]);
  if (made === undefined) delete parent[last];
  else parent[last] = made;
  return copy;
}
