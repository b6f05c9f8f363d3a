import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { LoadError } from "../../../parts/feedback";
import { FieldNote } from "../../../parts/field";
import { ActionMenu } from "../../../parts/menu";
import { OrderHandle, moveEntries, useMoves } from "../../../parts/order";
import { type Choice, SearchSelect } from "../../../parts/search_select";
import { useProject } from "../../project_context";
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
  const moves = useMoves({ ids: tests, nameOf: names.nameOf, noun: "test", setIds: onChange, dragged, setDragged });
  const remove = (id: string) => {
    moves.say(`${names.nameOf(id)} was removed.`);
    onChange(tests.filter((one) => one !== id));
  };
  const add = (choice: Choice) => {
    if (tests.includes(choice.id)) return;
    names.learn(choice);
    moves.say(`${choice.word} was added as test ${tests.length + 1}.`);
    onChange([...tests, choice.id]);
  };
  const present = new Set(tests);
  return (
    <fieldset className="stack g-3" id="job-tests" tabIndex={-1}>
      <legend className="label">Tests, in the order of execution</legend>
      {names.error && <LoadError what="The titles of the tests" error={names.error} />}
      {tests.length > 0 && (
        <ol className="form-list order">
          {tests.map((id, at) => (
            <li key={id} {...moves.row(at)}>
              <OrderHandle at={at} moves={moves} />
              <span className="order-number faint">{at + 1}</span>
              <bdi className="medium wrap-any">{names.nameOf(id)}</bdi>
              {names.noteOf(id) && <span className="faint small">{names.noteOf(id)}</span>}
              <span className="push">
                <ActionMenu
                  label={`Place of ${names.nameOf(id)}`} small
                  entries={[
                    ...moveEntries(at, moves),
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
      <p className="vh" role="status">{moves.said}</p>
    </fieldset>
  );
}
