import { useMutation } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { Conflict } from "../../parts/conflict";
import { changesBetween, differencesBetween } from "../../parts/differences";
import { warn } from "../../parts/toasts";
import type { JsonObject } from "../monitors/form/merge_patch";
import type { FieldError } from "./field_errors";
import type { Version } from "./page_queries";

interface EditOptions<Thing, Values extends object> {
  version: Version<Thing>;
  valuesOf: (thing: Thing) => Values;
  /** Returns all members that the form makes. `stored` is the thing that the form started from. */
  bodyOf: (values: Values, stored: Thing) => JsonObject;
  wrongOf: (values: Values, stored: Thing) => FieldError[];
  read: () => Promise<Version<Thing>>;
  write: (patch: JsonObject, etag: string) => Promise<unknown>;
  /** Adds to a patch the members that belong to those that have changed. */
  complete?: (patch: JsonObject, body: JsonObject) => JsonObject;
  onSaved: (made: unknown) => Promise<unknown>;
}

export interface Edit<Thing, Values extends object> {
  values: Values;
  set: (part: Partial<Values>) => void;
  errors: FieldError[];
  /** A refusal that is no conflict. */
  refusal: Error | null;
  submit: () => void;
  busy: boolean;
  changed: boolean;
  patch: JsonObject;
  etag: string;
  /** Both versions, while somebody else has saved first. */
  conflict: Conflicting<Thing, Values> | undefined;
}

interface Conflicting<Thing, Values extends object> {
  base: JsonObject;
  saved: JsonObject;
  mine: JsonObject;
  thing: Thing;
  /** Saves the own version of all members but these. */
  keep: (saved: (keyof Values & string)[]) => void;
  load: () => void;
}

/**
 * The form of a stored thing, whose fields have the names of the members. It starts from one version and keeps it: only a save or a
 * conflict replaces it.
 */
export function useEdit<Thing extends { updatedAt: string }, Values extends object>(
  { version, valuesOf, bodyOf, wrongOf, read, write, complete = (patch) => patch, onSaved }: EditOptions<Thing, Values>,
): Edit<Thing, Values> {
  const [base, setBase] = useState(version);
  const [values, setValues] = useState<Values>(() => valuesOf(version.thing));
  const [saved, setSaved] = useState<Version<Thing>>();
  const [tried, setTried] = useState(false);
  const before = bodyOf(valuesOf(base.thing), base.thing);
  const mine = bodyOf(values, base.thing);
  const patch = complete(changesBetween(before, mine) as JsonObject, mine);
  const save = useMutation({
    mutationFn: ({ body, etag }: { body: JsonObject; etag: string }) => write(body, etag),
    onSuccess: onSaved,
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      await read().then(setSaved, (reason: Error) => warn(`The saved version could not be loaded. ${reason.message}`));
    },
  });
  const changed = !save.isSuccess && Object.keys(patch).length > 0;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? Your changes are not saved."), enableBeforeUnload: () => changed,
  });
  const send = (next: Values, from: Version<Thing>) => {
    const after = bodyOf(next, from.thing);
    const body = complete(changesBetween(bodyOf(valuesOf(from.thing), from.thing), after) as JsonObject, after);
    if (Object.keys(body).length > 0 && wrongOf(next, from.thing).length === 0) save.mutate({ body, etag: from.etag });
  };
  const rebase = (next: Version<Thing>, fields: readonly (keyof Values)[]): Values => {
    const stored = valuesOf(next.thing);
    const merged = { ...values, ...Object.fromEntries(fields.map((field) => [field, stored[field]])) };
    setBase(next);
    setValues(merged);
    setSaved(undefined);
    save.reset();
    return merged;
  };
  const all = Object.keys(values) as (keyof Values & string)[];
  return {
    values, patch, changed, etag: base.etag, busy: save.isPending,
    set: (part) => {
      if (!save.isPending) save.reset();
      setValues((old) => ({ ...old, ...part }));
    },
    errors: tried ? wrongOf(values, base.thing) : [],
    refusal: save.error instanceof ApiError && save.error.status === 412 ? null : save.error,
    submit: () => {
      if (save.isPending || !changed) return;
      setTried(true);
      send(values, base);
    },
    conflict: saved && {
      base: before, saved: bodyOf(valuesOf(saved.thing), saved.thing), mine, thing: saved.thing,
      keep: (fields) => send(rebase(saved, fields), saved), load: () => rebase(saved, all),
    },
  };
}

interface EditConflictProps<Thing extends { updatedAt: string }, Values extends object> {
  edit: Edit<Thing, Values>;
  /** Such as "component". */
  thing: string;
  words: Record<keyof Values & string, string>;
  textOf: (field: keyof Values & string, body: JsonObject) => string;
}

/** Both versions of a form, if somebody else has saved first. */
export function EditConflict<Thing extends { updatedAt: string }, Values extends object>(
  { edit, thing, words, textOf }: EditConflictProps<Thing, Values>,
) {
  const { conflict, busy } = edit;
  if (!conflict) return null;
  const differences = differencesBetween<JsonObject, keyof Values & string>(words, conflict, textOf);
  return (
    <Conflict
      thing={thing} differences={differences} savedAt={conflict.thing.updatedAt} busy={busy} save={conflict.keep} load={conflict.load}
    />
  );
}
