import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type MouseEvent, useEffect, useState } from "react";
import { errorOf } from "../../api/errors";
import { transport } from "../../api/services";
import { Blank, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { PageHead } from "../../parts/page";
import { useTitle } from "../../parts/use_title";
import { Frame } from "../shell/frame";
import { lastProject } from "../shell/last_project";
import { type Contract, type Operation, readContract, searchGroups } from "./contract";
import { OperationView } from "./operation_view";
import { Prose } from "./schema_view";

const DOCUMENT = "/openapi/openapi.json";

/** Reads the document of the instance that answers; it has the operations of its version. */
async function loadContract(signal: AbortSignal): Promise<Contract> {
  const answer = await transport.send(new Request(DOCUMENT, { signal }));
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok || typeof body !== "object" || body === null) throw errorOf(answer, body);
  return readContract(body);
}

const anchorOf = (group: string): string => `group-${group.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;

/** The focus goes to the heading, so that Tab continues in the group. */
function showGroup(anchor: string): void {
  const head = document.getElementById(anchor);
  head?.scrollIntoView();
  head?.focus({ preventScroll: true });
}

/** The address keeps the search. The browser opens the group in another tab if a key asks for that. */
function goToGroup(event: MouseEvent, group: string): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showGroup(anchorOf(group));
}

function OperationRow({ operation }: { operation: Operation }) {
  return (
    <li className="operation-row">
      <code className="method">{operation.method}</code>
      <Link className="quiet-link medium wrap-any" to="/_api" search={{ operation: operation.id }}>{operation.summary}</Link>
      <code className="faint wrap-any">{operation.path}</code>
    </li>
  );
}

/** The project of the last visit: a token of it is what the lines of the examples need. */
function TokenHint() {
  const [organization, project] = (lastProject() ?? "").split("/");
  if (!organization || !project) return null;
  const path: string = `/${organization}/${project}/tokens`;
  return <p className="small muted">The lines of the examples need a token of a project: <Link to={path}>tokens of {project}</Link>.</p>;
}

function Operations({ contract }: { contract: Contract }) {
  const { search } = useSearch({ from: "/signed-in/_api" });
  const navigate = useNavigate({ from: "/_api" });
  const [words, setWords] = useState(search ?? "");
  useTitle("API reference");
  // A tab that was opened for a group has its headings only after the document is read.
  useEffect(() => showGroup(location.hash.slice(1)), []);
  const wanted = words.trim();
  const groups = searchGroups(contract.groups, wanted);
  const count = groups.reduce((sum, group) => sum + group.operations.length, 0);
  const change = (next: string) => {
    setWords(next);
    void navigate({ search: { search: next.trim() || undefined }, replace: true, resetScroll: false });
  };
  return (
    <div className="page page-reference">
      <PageHead
        title="API reference" lead={`${contract.summary} Version ${contract.version}.`}
        actions={<a className="btn" href={DOCUMENT} download="openapi.json"><Icon name="download" />OpenAPI document</a>}
      />
      <div className="stack g-2 page-lead"><Prose text={contract.description} /><TokenHint /></div>
      <div className="filters" role="search" aria-label="Search operations">
        <span className="search-box">
          <label className="vh" htmlFor="operation-search">Search operations</label>
          <Icon name="search" />
          <input
            className="input" id="operation-search" name="search" type="search" placeholder="Search by words or path" maxLength={100}
            autoComplete="off" spellCheck={false} value={words} onChange={(event) => change(event.target.value)}
          />
        </span>
        <span className="muted" role="status">{count} of {contract.operations.size} operations</span>
      </div>
      {groups.length > 1 && (
        <nav aria-label="Groups of operations">
          <ul className="row g-3 small">
            {groups.map((group) => (
              <li key={group.name}>
                <a href={`#${anchorOf(group.name)}`} onClick={(event) => goToGroup(event, group.name)}>{group.name}</a>{" "}
                <span className="faint tabular">{group.operations.length}</span>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {groups.map((group) => (
        <section className="section" aria-label={group.name} key={group.name}>
          <div className="section-head"><h2 id={anchorOf(group.name)} tabIndex={-1}>{group.name}</h2></div>
          <Prose className="muted" text={group.description} />
          <div className="panel">
            <ul className="list">
              {group.operations.map((one) => <OperationRow operation={one} key={one.id} />)}
            </ul>
          </div>
        </section>
      ))}
      {count === 0 && (
        <div className="panel">
          <Blank icon="search" title="No operation has these words">
            <p>The search looks at names, paths, descriptions and parameters.</p>
            <div className="row"><button className="btn" type="button" onClick={() => change("")}>Show all operations</button></div>
          </Blank>
        </div>
      )}
    </div>
  );
}

function Reference() {
  const { operation } = useSearch({ from: "/signed-in/_api" });
  const contract = useQuery({ queryKey: ["openapi"], queryFn: ({ signal }) => loadContract(signal), staleTime: 300_000 });
  if (!contract.data) {
    return (
      <div className="page">
        <PageHead title="API reference" />
        {contract.error
          ? <PageError thing="The document" what="The API document" error={contract.error} retry={() => void contract.refetch()} />
          : <Skeleton name="the API document" />}
      </div>
    );
  }
  const chosen = operation === undefined ? undefined : contract.data.operations.get(operation);
  if (chosen) return <OperationView contract={contract.data} operation={chosen} key={chosen.id} />;
  if (operation === undefined) return <Operations contract={contract.data} />;
  return (
    <div className="page">
      <div className="panel">
        <Blank page icon="search" title="This operation does not exist here">
          <p>The service has another version, or the address has a mistake.</p>
          <div className="row"><Link className="btn" to="/_api">Show all operations</Link></div>
        </Blank>
      </div>
    </div>
  );
}

/** All operations of the public API, from the document that the service serves. */
export default function ReferencePage() {
  return <Frame><Reference /></Frame>;
}
