import { same } from "../../../parts/differences";

/** JSON values as bodies have them. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the JSON merge patch (RFC 7396) from one object to another; an empty one changes nothing. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    if (same(old, now)) continue;
    if (now === undefined) patch[name] = null;
    else if (isObject(now) && isObject(old)) patch[name] = mergePatch(old, now);
    else patch[name] = now;
  }
  return patch;
}

/** Returns the value at a JSON pointer whose names have no escapes. */
export function valueAt(object: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of pointer.split("/").slice(1)) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** Sets the value at a JSON pointer and makes the objects on its way. */
export function setAt(object: JsonObject, pointer: string, value: Json): void {
  const names = pointer.split("/").slice(1);
  const last = names.pop()!;
  let place = object;
  for (const name of names) {
    if (!isObject(place[name])) place[name] = {};
    place = place[name] as JsonObject;
  }
  place[last] = value;
}

/** Removes the value at a JSON pointer, if it is there. */
export function removeAt(object: JsonObject, pointer: string): void {
  const at = pointer.lastIndexOf("/");
  const place = at > 0 ? valueAt(object, pointer.slice(0, at)) : object;
  if (isObject(place)) delete place[pointer.slice(at + 1)];
}

/** Returns the pointers of all values that a patch sets or removes. */
export function pointersOf(patch: JsonObject, prefix = ""): string[] {
  return Object.entries(patch).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length ? pointersOf(value, `${prefix}/${name}`) : [`${prefix}/${name}`]);
}
