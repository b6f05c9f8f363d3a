import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { CardTable } from "../../parts/card_table";
import { Icon } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment, NOTHING, ZoneName } from "../../parts/time";
import { warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import { newKey } from "../project_queries";
import { Tags, TestMenu } from "./test_head";
import { type Test, executeTest } from "./test_queries";
import { priorityWord, typeWord } from "./test_words";

/** Executes a test and shows its output next to its script. */
function ExecuteButton({ test }: { test: Test }) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  // One key until the answer, so a double click makes one run.
  const key = useRef<string>(undefined);
  const execute = useMutation({
    mutationFn: () => executeTest(api, test.id, (key.current ??= newKey())),
    onSuccess: (run) => navigate({ to: path("tests", test.id), search: { run: run.id } as never }),
    onError: (error) => warn(`${test.title} was not executed. ${error.message}`),
    onSettled: () => (key.current = undefined),
  });
  return (
    <button
      className="btn btn-s" type="button" aria-label={`Execute ${test.title}`} aria-disabled={execute.isPending}
      onClick={() => !execute.isPending && execute.mutate()}
    >
      <Icon name="play" small />Execute
    </button>
  );
}

function TestRow({ test }: { test: Test }) {
  const { path, project } = useProject();
  return (
    <tr role="row">
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={path("tests", test.id)} dir="auto">{test.title}</Link>
          {test.description && <span className="cell-sub clip" dir="auto">{test.description}</span>}
        </div>
      </th>
      <td data-label="Type" role="cell">{typeWord(test.type)}</td>
      <td data-label="Priority" role="cell">{priorityWord(test.priority)}</td>
      <td data-label="Tags" role="cell">
        {test.tags.length > 0 ? <span className="row g-1"><Tags tags={test.tags} /></span> : <span className="faint">{NOTHING}</span>}
      </td>
      <td data-label="Last change" role="cell"><Moment value={test.updatedAt} form="minutes" /></td>
      <td className="cell-actions" role="cell">
        {hasRole(project.role, "project_editor") && <ExecuteButton test={test} />}{" "}
        <TestMenu test={test} small />
      </td>
    </tr>
  );
}

/** Tests with what can be done with them. */
export function TestTable({ rows, foot }: { rows: readonly Test[]; foot: ReactNode }) {
  return (
    <CardTable
      caption="Tests, newest first" foot={foot}
      heads={[
        ["title", "Title"], ["type", "Type"], ["priority", "Priority"], ["tags", "Tags"], ["changed", <>Last change, <ZoneName /></>],
      ]}
    >
      {rows.map((test) => <TestRow test={test} key={test.id} />)}
    </CardTable>
  );
}
