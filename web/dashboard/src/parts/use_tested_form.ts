import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { detailsByField, sentence } from "./field";
import { expectRefusal } from "./use_refusal_focus";

/** What is wrong with the input of a form, by JSON pointer of the body that it makes. */
export type PointerErrors = Map<string, string>;

interface TestedFormOptions<Values, Body> {
  /** Returns the body of the input, and what is wrong with its fields. */
  read: () => { body: Body; errors: PointerErrors };
  setValues: (change: (values: Values) => Values) => void;
  /** Returns what is wrong with a body besides its fields. */
  check?: (body: Body) => PointerErrors;
  save: (body: Body) => void;
  saving: boolean;
  /** The refusal of the last save. */
  error: Error | null;
  clearError: () => void;
  test: { isPending: boolean; error: Error | null; reset: () => void };
  /** Returns true for fields that a test does not need, such as a name. */
  isUntested?: (pointer: string) => boolean;
  /** Tests a body without storing it. */
  tryBody: (body: Body) => void;
  changed: boolean;
  /** Returns the pointer of the field that shows the refusal of a pointer. */
  placeOf: (pointer: string) => string;
  /** Returns the id of a field's element and its label. */
  fieldAt: (pointer: string) => { id: string; label: string };
}

/** A form that can be tested before it is saved. Its input stays whatever the service answers, and leaving it is confirmed. */
export function useTestedForm<Values, Body>(options: TestedFormOptions<Values, Body>) {
  const { read, setValues, check, save, saving, error, clearError, test, isUntested, tryBody, changed, placeOf, fieldAt } = options;
  const [own, setOwn] = useState<PointerErrors>(new Map());
  const [tested, setTested] = useState(false);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      changed && current.pathname !== next.pathname && !window.confirm("Leave the form? What you typed is lost."),
    enableBeforeUnload: () => changed,
  });
  const refused: PointerErrors = new Map();
  for (const [pointer, message] of detailsByField(error ?? test.error)) refused.set(placeOf(pointer), sentence(message));
  const errors: PointerErrors = new Map([...refused, ...own]);
  const prepare = (forTest: boolean): Body | undefined => {
    const { body, errors: wrong } = read();
    for (const [pointer, message] of check?.(body) ?? []) wrong.set(pointer, message);
    if (forTest && isUntested) for (const pointer of [...wrong.keys()].filter(isUntested)) wrong.delete(pointer);
    setOwn(wrong);
    setTested(forTest);
    clearError();
    return wrong.size ? undefined : body;
  };
  return {
    errors,
    /** The errors for a banner, with the ids of their fields. */
    wrong: [...errors].map(([pointer, message]) => {
      const { id, label } = fieldAt(pointer);
      return { id, text: `${label}: ${message}` };
    }),
    /** True if the errors are those of a test, not of a save. */
    isOfTest: tested,
    /** Changes the input of one field; its errors go away. */
    change: (update: (old: Values) => Values, pointer: string): void => {
      setValues(update);
      setOwn((old) => new Map([...old].filter(([one]) => !one.startsWith(pointer))));
      if (refused.has(pointer)) (clearError(), test.error && test.reset());
    },
    submit: (event: FormEvent): void => {
      event.preventDefault();
      if (saving) return;
      test.reset();
      const body = prepare(false);
      if (body !== undefined) save(body);
    },
    tryIt: (): void => {
      if (test.isPending) return;
      expectRefusal();
      const body = prepare(true);
      if (body !== undefined) tryBody(body);
    },
  };
}
