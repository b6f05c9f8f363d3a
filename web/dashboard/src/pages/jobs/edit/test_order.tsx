import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { LoadError } from "../../../parts/feedback";
import { FieldNote } from "../../../parts/field";
import { Icon } from "../../../parts/icon";
import { ActionMenu } from "../../../parts/menu";
import { type Choice, SearchSelect } from "../../../parts/search_select";
import { useProject } from "../../project_context";
import { moved } from "./job_values";
import { readChosenTests, searchTests, testsOfType } from "./test_choices";

export const MOST_TESTS = 100;

interface NamesResult {
  nameOf: (id: string) => string;
  error: Error | null;
  learn: (choice: Choice) => void;
  noteOf: (id: string) => string | undefined;
}

/** The titles of tests by their ids. */
export function useTestNames(ids: readonly string[]): NamesResult {
  const { api, key } = useProject();
  const client = useQueryClient();
  const start = useRef(ids).current;
  const queryKey = useMemo(() => [key, "test-names", start.join()], [key, start]);
  const names = useQuery({ queryKey, queryFn: ({ signal }) => readChosenTests(api, start, signal), staleTime: 60_000 });
  const known = new Map((names.data ?? []).map((one) => [one.id, one]));
  return {
    nameOf: (id) => known.get(id)?.word ?? `Test ${id.slice(0, 8)}`,
    noteOf: (id) => known.get(id)?.note,
    error: names.error,
    learn: (choice) => client.setQueryData<Choice[]>(queryKey, (old = []) => [...old.filter((one) => one.id !== choice.id), choice]),
  };
}

interface OrderProps {
  jobType: string;
  tests: readonly string[];
  names: NamesResult;
  error?: string;
  onChange: (tests: string[]) => void;
}

/** The tests of a job in their order. A handle moves a test by drag and by the arrow keys; a menu does the same. */
export function TestOrder({ jobType, tests, names, error, onChange }: OrderProps) {
  const { api, key } = useProject();
  const [dragged, setDragged] = useState<number>();
  const [said, setSaid] = useState("");
  const focus = useRef<string>(undefined);
  const rows = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (!focus.current) return;
    rows.current?.querySelector<HTMLElement>(`[data-handle="${CSS.escape(focus.current)}"]`)?.focus();
    focus.current = undefined;
  });
  const move = (from: number, to: number) => {
    const place = Math.max(0, Math.min(to, tests.length - 1));
    const id = tests[from];
    if (!id || place === from) return;
    focus.current = id;
    setSaid(`${names.nameOf(id)} is test ${place + 1} of ${tests.length} now.`);
    onChange(moved(tests, from, place));
  };
  const press = (event: KeyboardEvent, at: number) => {
    const places: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: tests.length - 1 };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(at, to);
  };
  const over = (event: DragEvent, at: number) => {
    if (dragged === undefined) return;
    event.preventDefault();
    if (at === dragged) return;
    onChange(moved(tests, dragged, at));
    setDragged(at);
  };
  const remove = (id: string) => {
    setSaid(`${names.nameOf(id)} was removed.`);
    onChange(tests.filter((one) => one !== id));
  };
  const add = (choice: Choice) => {
    if (tests.includes(choice.id)) return;
    names.learn(choice);
    setSaid(`${choice.word} was added as test ${tests.length + 1}.`);
    onChange([...tests, choice.id]);
  };
  const present = new Set(tests);
  return (
    <fieldset className="stack g-3" id="job-tests" tabIndex={-1}>
      <legend className="label">Tests, in the order of execution</legend>
      {names.error && <LoadError what="The titles of the tests" error={names.error} />}
      {tests.length > 0 && (
        <ol className="form-list order" ref={rows}>
          {tests.map((id, at) => (
            <li
              key={id} data-dragged={dragged === at || undefined} onDragOver={(event) => over(event, at)}
              onDrop={(event) => (event.preventDefault(), setDragged(undefined))}
            >
              <button
                className="btn btn-s btn-quiet btn-icon order-handle" type="button" draggable data-handle={id}
                aria-label={`Move ${names.nameOf(id)}, test ${at + 1} of ${tests.length}`} aria-description="The arrow keys move it."
                onKeyDown={(event) => press(event, at)} onDragEnd={() => setDragged(undefined)}
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = "move";
                  event.dataTransfer.setData("text/plain", names.nameOf(id));
                  setDragged(at);
                }}
              >
                <Icon name="updown" />
              </button>
              <span className="order-number faint">{at + 1}</span>
              <bdi className="medium wrap-any">{names.nameOf(id)}</bdi>
              {names.noteOf(id) && <span className="faint small">{names.noteOf(id)}</span>}
              <span className="push">
                <ActionMenu
                  label={`Place of ${names.nameOf(id)}`} small
                  entries={[
                    ...(at > 0 ? [
                      { id: "up", icon: "arrow", word: "Move up", act: () => move(at, at - 1) } as const,
                      { id: "first", icon: "arrow", word: "Move to the start", act: () => move(at, 0) } as const,
                    ] : []),
                    ...(at < tests.length - 1 ? [
                      { id: "down", icon: "arrow-down", word: "Move down", act: () => move(at, at + 1) } as const,
                      { id: "last", icon: "arrow-down", word: "Move to the end", act: () => move(at, tests.length - 1) } as const,
                    ] : []),
                    { id: "remove", icon: "trash", word: "Remove from the job", act: () => remove(id) },
                  ]}
                />
              </span>
            </li>
          ))}
        </ol>
      )}
      {tests.length === 0 && <p className="muted">The job has no tests yet, so it cannot be triggered.</p>}
      {tests.length < MOST_TESTS
        ? (
          <SearchSelect
            label="Add a test" name="test" placeholder="Search by title" queryKey={[key, "tests", jobType, tests.join()]}
            search={(words, signal) => searchTests(api, jobType, present, words, signal)} onChoose={add}
            hint={`A ${jobType} job takes ${testsOfType(jobType)}.`}
          />
        )
        : <p className="small muted">A job has at most {MOST_TESTS} tests.</p>}
      <FieldNote id="job-tests-note" error={error} />
      <p className="vh" role="status">{said}</p>
    </fieldset>
  );
}
