// Requests of an operation, good and spoiled, as plans: ids of resources are filled in when a request is sent.
import fc from 'fast-check';
import {Arbitraries} from './arbitraries.mjs';

const visible = fc.stringMatching(/^[!-~][ -~]{0,39}$/).map((text) => text.trim());

/** A parameter's text converted to its type; undefined when that is not possible. */
function typed(schema, text) {
  if (schema.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (schema.type === 'boolean') return {true: true, false: false}[text];
  return text;
}

const never = fc.constant(undefined);
const sometimes = (arbitrary, weight = 1, of = 4) => fc.oneof({weight: of - weight, arbitrary: never}, {weight, arbitrary});

export class Requests {
  constructor(contract, place) {
    this.contract = contract;
    this.arbitraries = new Arbitraries(contract, fc.constantFrom(place.test, place.tag, place.job));
    this.place = place;
  }

  /** {ids, query, headers, token, body}: each {value, broken}, where broken says that the contract forbids it. */
  of(operation) {
    const within = (where) => operation.parameters.filter((one) => one.in === where);
    return fc.record({
      ids: fc.tuple(...within('path').map(() => this.#id())),
      query: fc.tuple(...within('query').map((one) => this.#parameter(one)), this.#strangeQuery(operation)),
      headers: fc.tuple(...within('header').map((one) => this.#header(one)), this.#strangeHeader(operation)),
      token: operation.isPublic ? never : this.#token(operation),
      body: this.#body(operation),
    });
  }

  #id() {
    const broken = fc.oneof(visible, fc.string({unit: 'binary', minLength: 1, maxLength: 20}))
                       // With control characters, slashes or only dots it would not be a path of the operation.
                       .filter((text) => !/[\0-\x1f\x7f/\\]|^\.{1,2}$/.test(text))
                       .map((text) => ({value: encodeURIComponent(text), broken: true}));
    return fc.oneof({weight: 12, arbitrary: fc.nat(1000).map((pick) => ({pick}))},
                    {weight: 1, arbitrary: fc.uuid().map((value) => ({value}))}, {weight: 1, arbitrary: broken});
  }

  #parameter(parameter) {
    const {name, schema} = parameter;
    const fits = this.contract.requests.compile(schema);
    const accepts = (text) => typed(schema, text) !== undefined && fits(typed(schema, text));
    const good = name === 'wait' ? fc.constant('1') : this.arbitraries.fitting(schema, fits).map(String);
    const bad = fc.oneof(fc.string(), fc.constantFrom('', '-1', '0', '1e3', '1.5', ' 1', '+1', '9'.repeat(25), 'null', '\0'),
                         visible).filter((text) => !accepts(text));
    return fc.oneof(
        {weight: 8, arbitrary: never},
        // Each second of waiting makes the test a second longer.
        {weight: name === 'wait' ? 0 : 4, arbitrary: good.map((value) => ({name, value}))},
        {weight: 1, arbitrary: bad.map((value) => ({name, value, broken: true}))});
  }

  #strangeQuery(operation) {
    // Caches and probes may add their own parameters to a public path.
    const broken = !operation.isPublic;
    const strange = fc.tuple(fc.string({minLength: 1}).map((name) => `z${name}`), fc.string());
    return sometimes(strange.map(([name, value]) => ({name, value, broken})), 1, 20);
  }

  #header(parameter) {
    const {name, schema} = parameter;
    const fits = this.contract.requests.compile(schema);
    const known = {
      'If-Match': fc.constantFrom('*', '"0-0"', '"1-x", *', 'W/"1-0"', 'x'),
      'If-None-Match': fc.constantFrom('*', '"0-0"', 'W/"1-0"', 'x', ','),
      'Prefer': fc.constantFrom('respond-async', 'wait', 'wait=0', 'wait=x', 'wait=99999999999999999999'),
      'Last-Event-ID': fc.constantFrom('0-1', '1-1', '99-99', '0', '-', '18446744073709551616-1'),
    };
    return sometimes(fc.oneof(known[name] ?? visible, visible).filter((value) => fits(value))
                         .map((value) => ({name, value})));
  }

  #strangeHeader(operation) {
    const takesKey = operation.parameters.some((one) => one.name === 'Idempotency-Key');
    const unasked = takesKey ? [] : [fc.constant({name: 'Idempotency-Key', value: 'k', broken: true})];
    return sometimes(fc.oneof(
        ...unasked, visible.map((value) => ({name: 'X-Request-Id', value})),
        fc.constantFrom('application/problem+json', '*/*', 'text/html', 'application/json;q=0').map(
            (value) => ({name: 'Accept', value}))), 1, 10);
  }

  #token(operation) {
    const key = operation.takesTriggerKey ? [{weight: 5, arbitrary: fc.constant({value: this.place.triggerKey})}] : [];
    return fc.oneof(
        {weight: 30, arbitrary: fc.constant({value: this.place.token})}, ...key,
        {weight: 1, arbitrary: fc.constant({broken: true})},
        {weight: 1, arbitrary: visible.map((value) => ({value, broken: true}))});
  }

  #body(operation) {
    const unasked = fc.constant({text: '{}', type: 'application/json', broken: true});
    if (operation.takesAnyBody)
      return sometimes(fc.tuple(visible, fc.constantFrom('application/json', 'text/plain'))
                           .map(([text, type]) => ({text, type})), 1, 2);
    if (!operation.body) return sometimes(unasked, 1, 20);
    const {schema, fits, required} = operation.body;
    const asText = (broken) => (value) => ({text: JSON.stringify(value), type: 'application/json', broken});
    const good = this.arbitraries.fitting(schema, fits);
    const shown = fc.constantFrom(...this.place.bodies(operation));
    const raw = fc.tuple(good, fc.nat(), fc.constantFrom('}', ',', '\0', '"', '{', ' x', '[')).map(([value, at, junk]) => {
      const text = JSON.stringify(value);
      return {text: text.slice(0, at % text.length) + junk, type: 'application/json'};
    }).filter(({text}) => !isJson(text)).map((body) => ({...body, broken: true}));
    const mistyped = good.map((value) => ({text: JSON.stringify(value), type: 'text/plain', broken: true}));
    return fc.oneof(
        {weight: 6, arbitrary: good.map(asText(false))}, {weight: 2, arbitrary: shown.map(asText(false))},
        {weight: 8, arbitrary: this.arbitraries.breaking(schema, fits).map(asText(true))},
        {weight: 2, arbitrary: raw}, {weight: 1, arbitrary: mistyped},
        {weight: 1, arbitrary: fc.constant(required ? {broken: true} : undefined)});
  }
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
