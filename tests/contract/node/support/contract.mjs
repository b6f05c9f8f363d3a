// The document as a list of operations, and a validator of answers that is independent of the service's own.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const methods = ['get', 'put', 'post', 'delete', 'patch'];

function makeAjv(document) {
  const ajv = new Ajv.default({strict: false, validateFormats: true, discriminator: false});
  addFormats.default(ajv);
  // Only the service can validate these two formats; its verdict is accepted.
  ajv.addFormat('cron', true);
  ajv.addFormat('cidr', true);
  return ajv.addSchema(document, 'contract');
}

/** A member of an answer that the document does not name is a fault here, although clients must accept it. */
function close(at) {
  if (Array.isArray(at)) return at.map(close);
  if (at === null || typeof at !== 'object') return at;
  const copy = Object.fromEntries(Object.entries(at).map(([key, value]) => [key, close(value)]));
  if (copy.properties && copy.additionalProperties === undefined) copy.additionalProperties = false;
  return copy;
}

const pointer = (...keys) =>
    keys.map((key) => '/' + encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('');

export class Contract {
  constructor(document) {
    this.document = document;
    this.requests = makeAjv(document);
    this.answers = makeAjv(close(document));
    this.validators = new Map();
    // Public pages have other rules of HTTP, which tests of their own check.
    const routed = (one) => one && !one['x-served-by'];
    this.operations = Object.entries(document.paths).flatMap(
        ([path, item]) => methods.filter((m) => routed(item[m])).map((m) => this.#operation(path, m, item)));
  }

  resolve(value) {
    return value?.$ref ? this.resolve(value.$ref.slice(2).split('/').reduce((at, key) => at[key], this.document)) :
                         value;
  }

  #operation(path, method, item) {
    const source = item[method];
    const media = source.requestBody?.content['application/json'];
    return {
      id: source.operationId,
      method: method.toUpperCase(),
      path,
      source,
      where: ['paths', path, method],
      success: source['x-success'],
      errors: source['x-errors'],
      isPublic: source.security.length === 0,
      takesTriggerKey: source.security.some((one) => 'triggerKey' in one),
      worksOutside: source['x-rate-class'] === 'probe',
      isStream: 'text/event-stream' in (source.responses['200']?.content ?? {}),
      parameters: [...(item.parameters ?? []), ...(source.parameters ?? [])].map(
          (p) => ({...this.resolve(p), schema: this.resolve(this.resolve(p).schema)})),
      takesAnyBody: '*/*' in (source.requestBody?.content ?? {}),
      body: media && {
        schema: this.resolve(media.schema),
        required: source.requestBody.required,
        fits: this.requests.getSchema(
            'contract#' + pointer('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')),
      },
    };
  }

  /** What is wrong with an answer to the operation; empty when it keeps the contract. */
  faults(operation, answer) {
    const named = operation.source.responses[answer.status];
    const response = this.resolve(named ?? operation.source.responses.default);
    const type = (answer.headers['content-type'] ?? '').split(';')[0];
    const faults = [];
    if (answer.status >= 500) faults.push('a status of the 5xx');
    if (!answer.headers['x-request-id']) faults.push('no X-Request-Id');
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      const value = answer.headers[name.toLowerCase()];
      const schema = this.resolve(header).schema;
      if (value !== undefined && schema.type === 'integer' && !/^\d+$/.test(value)) faults.push(`${name}: ${value}`);
    }
    if (!response.content) {
      if (answer.body.length > 0) faults.push('a body that is not declared');
      return faults;
    }
    if (!response.content[type]) return [...faults, `a content type that is not declared: ${type}`];
    let value = answer.body.toString();
    if (type.endsWith('json') && type !== 'application/x-ndjson') {
      try {
        value = JSON.parse(value);
      } catch {
        return [...faults, 'a body that is no JSON'];
      }
    }
    const fits = this.#validator(response.content[type].schema);
    if (!fits(value)) faults.push(this.answers.errorsText(fits.errors));
    if (answer.status >= 400) faults.push(...this.#errorFaults(operation, answer, value, named));
    return faults;
  }

  #errorFaults(operation, answer, value, named) {
    const faults = [];
    const declared = operation.errors.includes(value.code);
    if (!declared && !this.document['x-common-errors'].includes(value.code))
      faults.push(`a code that is not declared: ${value.code}`);
    if (declared && !named) faults.push('a status that is not declared');
    if (value.requestId !== answer.headers['x-request-id']) faults.push('requestId is not X-Request-Id');
    return faults;
  }

  #validator(schema) {
    const key = JSON.stringify(schema);
    if (!this.validators.has(key))
      this.validators.set(key, this.answers.compile(JSON.parse(key.replaceAll('"#/', '"contract#/'))));
    return this.validators.get(key);
  }
}
