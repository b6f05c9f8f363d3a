import { MASK } from "../../../parts/secret_input";
import { type JsonObject, pointersOf, valueAt } from "./merge_patch";

const SECRET =
  /^\/config\/(?:auth\/(?:password|token)|tls\/clientKey|headers\/.*|url|webhookUrl|botToken|routingKey|token|signingSecret)$/;

/** True if the place of a monitor's or provider's body may hold a secret. */
export const isSecret = (pointer: string): boolean => SECRET.test(pointer);

// A name of a variable of the project, and the word for a new signing secret, are no secrets.
const OPEN = /^(?:\{\{[^{}]+\}\}|generate)?$/;

/** Returns the pointers of secrets that somebody typed. A stored one is masked and stays as it is. */
export const typedSecrets = (body: JsonObject): string[] => pointersOf(body).filter((pointer) => {
  const value = valueAt(body, pointer);
  return isSecret(pointer) && typeof value === "string" && value !== MASK && !OPEN.test(value);
});
