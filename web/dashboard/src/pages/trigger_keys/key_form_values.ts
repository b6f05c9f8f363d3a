import type { PublicSchemas } from "../../../../api/client";

type CreateTriggerKey = PublicSchemas["CreateTriggerKey"];

export interface KeyFormValues {
  name: string;
  /** Seconds, or an empty text. */
  life: string;
  /** One address or range in each line. */
  addresses: string;
  limit: string;
  /** Seconds of the window of the limit. */
  window: string;
}

export type KeyFormErrors = Partial<Record<keyof KeyFormValues, string>>;

const whole = (text: string): number | undefined => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : undefined);

/** A single address is a range of its full length. */
const rangeOf = (text: string): string => (text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`);

/** Returns the body of a request, or the errors by field. The service checks the addresses. */
export function keyBody(values: KeyFormValues): { body?: CreateTriggerKey; errors: KeyFormErrors } {
  const errors: KeyFormErrors = {};
  const body: CreateTriggerKey = { name: values.name.trim() };
  if (!body.name) errors.name = "Enter a name.";
  if (values.life) body.expiresIn = Number(values.life);
  const addresses = values.addresses.split(/[\s,]+/).filter(Boolean);
  if (addresses.length > 24) errors.addresses = "Enter at most 24 addresses or ranges.";
  else if (new Set(addresses).size < addresses.length) errors.addresses = "Enter each address only once.";
  else if (addresses.length) body.allowedCidrs = addresses.map(rangeOf);
  if (values.limit.trim()) {
    const limit = whole(values.limit);
    if (!limit || limit > 100_000) errors.limit = "Enter a whole number from 1 to 100 000.";
    else body.rateLimit = { limit, windowSeconds: Number(values.window) };
  }
  return Object.keys(errors).length ? { errors } : { body, errors };
}
