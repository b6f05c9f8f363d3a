import type { ApiRequest } from "../../parts/api_lines";
import type { Contract, Operation, Parameter, Schema } from "./contract";

/** Returns the first example of a schema, or undefined. */
export const exampleOf = (contract: Contract, schema: Schema | undefined): unknown =>
  schema && contract.resolve(schema).examples?.[0];

/** Returns the answer of a success. */
export const successOf = (operation: Operation) => operation.answers.find((one) => one.status.startsWith("2"));

function idOf(contract: Contract, operation: Operation): string | undefined {
  const example = exampleOf(contract, successOf(operation)?.schema);
  const id = typeof example === "object" && example ? (example as Record<string, unknown>).id : undefined;
  return typeof id === "string" ? id : undefined;
}

function valueOf(contract: Contract, operation: Operation, { name, schema }: Parameter): string {
  const { examples, format } = contract.resolve(schema);
  const id = format === "uuid" ? idOf(contract, operation) ?? "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70" : undefined;
  return String(examples?.[0] ?? id ?? name.toUpperCase());
}

/** Returns the request of the example: path and required parameters have values, and the body is the contract's first example. */
export function exampleRequest(contract: Contract, operation: Operation): ApiRequest {
  const required = operation.parameters.filter((one) => one.required);
  const valuesIn = (place: string) =>
    Object.fromEntries(required.filter((one) => one.place === place).map((one) => [one.name, valueOf(contract, operation, one)]));
  const names = valuesIn("path");
  const body = operation.body?.media === "application/json" ? exampleOf(contract, operation.body.schema) : undefined;
  return {
    method: operation.method as ApiRequest["method"], path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name),
    query: valuesIn("query"), headers: valuesIn("header"), body, anonymous: operation.credentials.length === 0,
  };
}
