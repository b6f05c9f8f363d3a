import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePolled } from "../../api/use_polled";
import { LoadError } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { useProject } from "../project_context";
import { type Variable, readVariables } from "../variables/variable_queries";
import { type TestType, readingOf } from "./test_words";

/** What the runner adds to the variables of the project. */
const OWN = [
  ["SERVICE_PARAM_NAME", "the parameter NAME of the job, if a job runs the test"], ["SERVICE_RUN_ID", "the id of the run"],
  ["SERVICE_RUN_ATTEMPT", "1, and more after a runner was lost"], ["TRACEPARENT", "the trace of the request, if it belonged to one"],
] as const;

interface HelpProps {
  type: TestType;
  /** Puts a text at the cursor. Without it the names can only be read. */
  insert?: (text: string) => void;
}

function Row({ type, name, insert, children }: HelpProps & { name: string; children: ReactNode }) {
  const text = readingOf(type, name);
  return (
    <li className="row g-3">
      <code className="wrap-any">{text}</code>
      <span className="small muted">{children}</span>
      {insert && (
        <button className="btn btn-s push" type="button" aria-label={`Insert ${text}`} onClick={() => insert(text)}>Insert</button>
      )}
    </li>
  );
}

const noteOf = (variable: Variable): string =>
  [variable.isSecret && "secret, *** in the output", variable.description].filter(Boolean).join(": ") || "a variable of the project";

/** The names that a script finds in its environment, and how it reads them. */
export function EnvironmentHelp({ type, insert }: HelpProps) {
  const { api, key, path, project } = useProject();
  const edits = hasRole(project.role, "project_editor");
  const variables = usePolled({ key: [key, "variables", "names"], read: (headers, signal) => readVariables(api, {}, headers, signal) });
  const rows = variables.data?.rows ?? [];
  return (
    <details className="details">
      <summary><Icon name="right" small />Variables and environment</summary>
      <div className="stack g-3 as-api">
        <p className="small muted">
          A script finds these names in its environment, and nothing else of the runner’s machine. Its directory is removed after the run.
        </p>
        {variables.error && <LoadError what="The variables" error={variables.error} retry={() => void variables.refetch()} />}
        <ul className="list" aria-label="Variables of the project">
          {rows.map((one) => <Row type={type} name={one.key} insert={insert} key={one.id}><bdi>{noteOf(one)}</bdi></Row>)}
        </ul>
        {variables.data && rows.length === 0 && (
          <p className="small muted">The project has no variables yet.{" "}
            {edits && <Link to={path("variables", "new")}>Create one</Link>}</p>
        )}
        {variables.data?.next && <p className="small muted">There are more. <Link to={path("variables")}>Show all variables</Link>.</p>}
        <ul className="list" aria-label="Names that the runner adds">
          {OWN.map(([name, words]) => <Row type={type} name={name} insert={insert} key={name}>{words}</Row>)}
        </ul>
      </div>
    </details>
  );
}
