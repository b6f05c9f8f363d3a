import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CardTable } from "../../parts/card_table";
import { CommandLine, copyId } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { ActionMenu, type MenuEntry } from "../../parts/menu";
import { PageHead } from "../../parts/page";
import { SearchForm } from "../../parts/search_form";
import { MASK } from "../../parts/secret_input";
import { hasRole } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { DeleteVariable } from "./delete_variable";
import { PAGE, type Variable, readVariables } from "./variable_queries";
import { shortValue } from "./variable_values";

const ROUTE = "/signed-in/$org/$project/variables";

function Value({ variable }: { variable: Variable }) {
  if (variable.isSecret) {
    return <span className="row row-tight g-2"><code aria-hidden="true">{MASK}</code><span className="tag">Secret</span></span>;
  }
  if (!variable.value) return <span className="muted">Empty</span>;
  return <code className="wrap-any"><bdi>{shortValue(variable.value)}</bdi></code>;
}

function VariableRow({ variable, remove }: { variable: Variable; remove: () => void }) {
  const { project, path } = useProject();
  const edits = hasRole(project.role, "project_editor");
  const entries: MenuEntry[] = [{ id: "copy", icon: "copy", word: "Copy id", act: () => copyId(variable.id) }];
  if (hasRole(project.role, "project_admin")) entries.push({ id: "delete", icon: "trash", word: "Delete", act: remove });
  return (
    <tr role="row">
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          {edits
            ? <Link className="mono wrap-any" to={path("variables", variable.id)}>{variable.key}</Link>
            : <code className="medium wrap-any">{variable.key}</code>}
          {variable.description && <span className="cell-sub wrap-any" dir="auto">{variable.description}</span>}
        </div>
      </th>
      <td className="cell-words" data-label="Value" role="cell"><Value variable={variable} /></td>
      <td data-label="Changed" role="cell"><Moment value={variable.updatedAt} form="minutes" /></td>
      <td className="cell-actions" role="cell">
        {edits && <Link className="btn btn-s" to={path("variables", variable.id)} aria-label={`Edit ${variable.key}`}>Edit</Link>}{" "}
        <ActionMenu label={`More for ${variable.key}`} small entries={entries} />
      </td>
    </tr>
  );
}

function Filters() {
  const { search } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/variables" });
  return (
    <SearchForm
      things="variables" placeholder="Search by name or description" most={100} value={search}
      onSearch={(words) => void navigate({ search: { search: words } })}
      rest={() => search && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
    />
  );
}

function NoVariables({ filtered }: { filtered: boolean }) {
  const { project, path } = useProject();
  if (filtered) {
    return (
      <Blank icon="search" title="No variable has these words">
        <p>The words leave no variable of {project.name}.</p>
        <div className="row"><Link className="btn" to={path("variables")}>Show all variables</Link></div>
      </Blank>
    );
  }
  return (
    <Blank icon="braces" title="No variables yet">
      <p>
        Scripts find variables in their environment, such as the address of a shop or a password. Monitors can refer to them.
        {!hasRole(project.role, "project_editor") && ` An editor of ${project.name} can create one.`}
      </p>
      {hasRole(project.role, "project_editor") && (
        <>
          <div className="row">
            <Link className="btn btn-primary" to={path("variables", "new")}><Icon name="plus" />Create variable</Link>
          </div>
          <p className="small faint">Or from a shell, which asks for the value:</p>
          <CommandLine command="svc var set ADMIN_PASSWORD --secret" />
        </>
      )}
    </Blank>
  );
}

export default function VariablesPage() {
  const { api, key, project, path } = useProject();
  const place = useSearch({ from: ROUTE });
  const [asked, setAsked] = useState<Variable>();
  useTitle("Variables", project.name);
  const variables = usePolled({
    // A search reads many pages, so it is not repeated.
    key: [key, "variables", place], keep: true, every: place.search ? false : undefined,
    read: (headers, signal) => readVariables(api, place, headers, signal),
  });
  const rows = variables.data?.rows ?? [];
  const again = () => void variables.refetch();
  const lines = { page: place.search ? undefined : place.page, limit: PAGE };
  return (
    <div className="page">
      <PageHead
        title="Variables" lead={`Values that scripts of ${project.name} find in their environment.`}
        actions={hasRole(project.role, "project_editor") && (rows.length > 0 || place.search) && (
          <Link className="btn btn-primary" to={path("variables", "new")}><Icon name="plus" />Create variable</Link>
        )}
      />
      <section className="section" aria-label={`Variables of ${project.name}`}>
        {(rows.length > 0 || place.search) && <Filters key={place.search} />}
        {variables.error && variables.data && <LoadError what="Changes" error={variables.error} retry={again} />}
        {variables.error && !variables.data && (
          <PageError thing="This list" what="The variables" error={variables.error} retry={again} />
        )}
        {(!variables.data || variables.isPlaceholderData) && !variables.error && <Skeleton name="variables" />}
        {variables.data && rows.length > 0 && (
          <CardTable
            caption={`Variables of ${project.name}, newest first`} foot={<ListFoot things="Variables" page={variables.data} />}
            heads={[["name", "Name"], ["value", "Value"], ["changed", <>Changed, <ZoneName /></>]]}
          >
            {rows.map((one) => <VariableRow key={one.id} variable={one} remove={() => setAsked(one)} />)}
          </CardTable>
        )}
        {variables.data && !variables.isPlaceholderData && rows.length === 0 && (
          <div className="panel"><NoVariables filtered={Boolean(place.search ?? place.page)} /></div>
        )}
      </section>
      <AsApi views={[{ request: { method: "GET", path: "/api/variables", query: lines }, svc: svcLine(["var", "list"], lines) }]} />
      {asked && <DeleteVariable variable={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}
