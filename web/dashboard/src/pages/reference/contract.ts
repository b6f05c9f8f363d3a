/** The parts of the served OpenAPI document that the reference shows. A newer service may have others, which are left out. */

import { hasWords } from "../../parts/search_pages";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  discriminator?: { mapping?: Record<string, string> };
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  "x-message"?: string;
}

export interface Parameter {
  name: string;
  place: string;
  required: boolean;
  description: string;
  schema: Schema;
}

export interface Answer {
  status: string;
  description: string;
  media: string[];
  schema?: Schema;
  /** Codes and sentences of errors. */
  errors: { code: string; sentence: string }[];
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  group: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body?: { required: boolean; media: string; schema: Schema };
  answers: Answer[];
  permission: string;
  /** Kinds of credentials that the operation takes; none: everybody may call it. */
  credentials: string[];
  rateClass: string;
}

export interface Contract {
  title: string;
  version: string;
  summary: string;
  description: string;
  groups: { name: string; description: string; operations: Operation[] }[];
  operations: Map<string, Operation>;
  /** Returns the schema that a reference names; references to references are followed. */
  resolve: (schema: Schema) => Schema;
}

type Json = Record<string, any>;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const entries = (value: unknown): [string, any][] => (typeof value === "object" && value ? Object.entries(value) : []);

/** Follows references such as `#/components/schemas/Tag`; a broken or endless one gives an empty object. */
function follow(document: Json, value: Json | undefined): Json {
  let found = value ?? {};
  for (let steps = 0; typeof found.$ref === "string"; steps++) {
    const names = found.$ref.split("/").slice(1);
    if (steps > 8) return {};
    found = names.reduce<any>((place, name) => place?.[name], document) ?? {};
  }
  return found;
}

function readParameter(document: Json, raw: Json): Parameter {
  const { name, in: place, required, description, schema } = follow(document, raw);
  return { name: text(name), place: text(place), required: required === true, description: text(description), schema: schema ?? {} };
}

function readAnswer(document: Json, status: string, raw: Json): Answer {
  const answer = follow(document, raw);
  const contents = entries(answer.content);
  const examples = Number(status) < 400 ? [] : contents.flatMap(([, content]) => entries(content.examples));
  return {
    status, description: text(answer.description), media: contents.map(([media]) => media), schema: contents[0]?.[1]?.schema,
    errors: examples.map(([code, example]) => ({ code, sentence: text(follow(document, example).value?.error) })),
  };
}

function readOperation(document: Json, path: string, method: string, item: Json): Operation {
  const raw = item[method] as Json;
  const content = entries(raw.requestBody?.content)[0];
  return {
    id: text(raw.operationId), method: method.toUpperCase(), path, group: text(raw.tags?.[0]), summary: text(raw.summary),
    description: text(raw.description),
    parameters: [...(item.parameters ?? []), ...(raw.parameters ?? [])].map((one) => readParameter(document, one)),
    body: content && { required: raw.requestBody.required === true, media: content[0], schema: content[1]?.schema ?? {} },
    answers: entries(raw.responses).filter(([status]) => status !== "default")
      .map(([status, answer]) => readAnswer(document, status, answer)),
    permission: text(raw["x-permission"]), credentials: (raw["x-token-kinds"] ?? []).map(text), rateClass: text(raw["x-rate-class"]),
  };
}

/** Reads the document. Groups have the order of its tags, operations that of its paths. */
export function readContract(document: Json): Contract {
  const all = entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => readOperation(document, path, method, item)));
  const names = [...new Set([...(document.tags ?? []).map((one: Json) => text(one.name)), ...all.map((one) => one.group)])];
  const descriptions = new Map((document.tags ?? []).map((one: Json) => [text(one.name), text(one.description)]));
  return {
    title: text(document.info?.title), version: text(document.info?.version), summary: text(document.info?.summary),
    description: text(document.info?.description),
    groups: names
      .map((name) => ({
        name, description: text(descriptions.get(name)), operations: all.filter((one) => one.group === name),
      }))
      .filter((group) => group.operations.length > 0),
    operations: new Map(all.map((one) => [one.id, one])),
    resolve: (schema) => follow(document, schema) as Schema,
  };
}

/** Returns true if each of the words is part of the operation's name, path, summary, description or parameters. */
export function hasOperationWords(words: string, operation: Operation): boolean {
  const { id, method, path, group, summary, description, parameters } = operation;
  return hasWords(words, id, method, path, group, summary, description, ...parameters.map((one) => one.name));
}

/** Returns true if each of the words is part of the operation's name, path or summary. Somebody who knows the API looks for these. */
const isNamed = (words: string, { id, method, path, summary }: Operation): boolean => hasWords(words, id, method, path, summary);

/** Returns the groups with the operations that have the words. Those with the words in their name come before those that mention them. */
export function searchGroups(groups: Contract["groups"], words: string): Contract["groups"] {
  if (words === "") return groups;
  const found = groups
    .map((group) => {
      const operations = group.operations.filter((one) => hasOperationWords(words, one));
      const named = operations.filter((one) => isNamed(words, one));
      return { named, group: { ...group, operations: [...named, ...operations.filter((one) => !named.includes(one))] } };
    })
    .filter(({ group }) => group.operations.length > 0);
  return [...found.filter(({ named }) => named.length > 0), ...found.filter(({ named }) => named.length === 0)].map(({ group }) => group);
}

/** Returns a text as pieces; those in back quotes are code. */
export function piecesOf(words: string): { text: string; code: boolean }[] {
  return words.split("`").map((piece, at) => ({ text: piece, code: at % 2 === 1 })).filter((piece) => piece.text !== "");
}
