import type { Contract, Schema } from "./contract";

/** One member of an object, at its path from the body, such as `config.headers`. */
export interface MemberRow {
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** Bounds and defaults, as words. */
  rules: string[];
}

const MOST_ROWS = 200;
const MOST_DEPTH = 5;

const valueText = (value: unknown): string => (typeof value === "string" ? value || "empty" : JSON.stringify(value));

function range(low: number | undefined, high: number | undefined, thing: string): string[] {
  if (low === undefined && high === undefined) return [];
  if (low === undefined) return [`at most ${high}${thing}`];
  return [high === undefined ? `at least ${low}${thing}` : `${low} to ${high}${thing}`];
}

/** Returns the rules of a value as words, such as `1 to 255 characters`. */
export function rulesOf(schema: Schema): string[] {
  const rules: string[] = [];
  if (schema.enum) rules.push(`one of ${schema.enum.map(valueText).join(", ")}`);
  if (schema.const !== undefined) rules.push(`always ${valueText(schema.const)}`);
  rules.push(...range(schema.minimum, schema.maximum, ""));
  if (schema["x-message"]) rules.push(schema["x-message"]);
  else {
    rules.push(...range(schema.minLength, schema.maxLength, " characters"));
    if (schema.pattern) rules.push(`matches ${schema.pattern}`);
  }
  rules.push(...range(schema.minItems, schema.maxItems, " entries"));
  if (schema.default !== undefined && schema.default !== null) rules.push(`default ${valueText(schema.default)}`);
  return rules;
}

const PLURALS: Record<string, string> = { string: "texts", object: "objects", integer: "whole numbers", number: "numbers" };
const WORDS: Record<string, string> = {
  string: "text", object: "object", integer: "whole number", number: "number", boolean: "true or false", array: "list", null: "null",
};

/** Returns the type as words, such as `text (uuid) or null`. */
export function typeText(contract: Contract, raw: Schema): string {
  const schema = contract.resolve(raw);
  if (schema.oneOf) return `one of ${schema.oneOf.length} objects`;
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((one): one is string => one !== undefined);
  if (types[0] === "array" && schema.items) {
    const items = contract.resolve(schema.items);
    return `list of ${PLURALS[String(Array.isArray(items.type) ? items.type[0] : items.type)] ?? "values"}`;
  }
  const words = types.map((one) => (one === "string" && schema.format ? `text (${schema.format})` : WORDS[one] ?? one));
  return words.join(" or ") || "any value";
}

/** Returns all members of an object, those of its objects and lists below them. An object within itself is not repeated. */
export function membersOf(contract: Contract, root: Schema): MemberRow[] {
  const rows: MemberRow[] = [];
  const add = (raw: Schema, prefix: string, above: readonly Schema[]) => {
    const schema = contract.resolve(raw);
    if (above.includes(schema) || above.length > MOST_DEPTH) return;
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      if (rows.length >= MOST_ROWS) return;
      const found = contract.resolve(child);
      rows.push({
        name: prefix + name, type: typeText(contract, child), required: schema.required?.includes(name) ?? false,
        description: child.description ?? found.description ?? "", rules: rulesOf(found),
      });
      const next = [...above, schema];
      if (found.properties) add(found, `${prefix}${name}.`, next);
      else if (found.items) add(found.items, `${prefix}${name}[].`, next);
    }
  };
  const schema = contract.resolve(root);
  add(schema.items ?? schema, schema.items ? "[]." : "", []);
  return rows;
}

/** One shape of a body, such as that of a monitor of type `dns`. */
export interface Variant {
  name: string;
  schema: Schema;
}

/** Returns the shapes that a schema chooses from, by the value that chooses; none if it has only one. */
export function variantsOf(contract: Contract, raw: Schema): Variant[] {
  const { oneOf, discriminator } = contract.resolve(raw);
  if (!oneOf) return [];
  const names = new Map(Object.entries(discriminator?.mapping ?? {}).map(([name, reference]) => [reference, name]));
  return oneOf.map((schema, at) => ({ name: names.get(schema.$ref ?? "") ?? `shape ${at + 1}`, schema }));
}
