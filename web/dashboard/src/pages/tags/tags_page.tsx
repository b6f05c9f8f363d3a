import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
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
import { hasRole } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { CreateTag, DeleteTag, EditTag } from "./tag_dialogs";
import { TagDot } from "./tag_form";
import type { Tag } from "./tag_queries";
import { MOST_TAGS_OF_PROJECT, pageOfTags } from "./tag_values";
import { useTags } from "./use_tags";

const ROUTE = "/signed-in/$org/$project/tags";

type Act = "create" | { act: "edit" | "delete"; tag: Tag };

function TagRow({ tag, ask }: { tag: Tag; ask: (act: Act) => void }) {
  const { project, path } = useProject();
  const navigate = useNavigate();
  const show = (list: "tests" | "monitors", search: object) => void navigate({ to: path(list), search: search as never });
  const entries: MenuEntry[] = [
    { id: "tests", icon: "tests", word: "Tests with this tag", act: () => show("tests", { tagId: tag.id }) },
    { id: "monitors", icon: "pulse", word: "Monitors with this tag", act: () => show("monitors", { tag: tag.name }) },
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(tag.id) },
  ];
  if (hasRole(project.role, "project_admin")) {
    entries.push({ id: "delete", icon: "trash", word: "Delete", act: () => ask({ act: "delete", tag }) });
  }
  return (
    <tr role="row">
      <th scope="row" role="rowheader" className="cell-grow">
        <span className="row row-tight g-2"><TagDot color={tag.color} /><bdi className="medium clip">{tag.name}</bdi></span>
      </th>
      <td data-label="Colour" role="cell"><code>{tag.color}</code></td>
      <td data-label="Created" role="cell"><Moment value={tag.createdAt} form="minutes" /></td>
      <td data-label="Changed" role="cell"><Moment value={tag.updatedAt} form="minutes" /></td>
      <td className="cell-actions" role="cell">
        {hasRole(project.role, "project_editor") && (
          <button
            className="btn btn-s" type="button" aria-haspopup="dialog" aria-label={`Edit ${tag.name}`}
            onClick={() => ask({ act: "edit", tag })}
          >
            Edit
          </button>
        )}{" "}
        <ActionMenu label={`More for ${tag.name}`} small entries={entries} />
      </td>
    </tr>
  );
}

function Filters() {
  const { search } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/tags" });
  return (
    <SearchForm
      things="tags" placeholder="Search by name" most={40} value={search}
      onSearch={(words) => void navigate({ search: { search: words } })}
      rest={() => search && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
    />
  );
}

function NoTags({ filtered, create }: { filtered: boolean; create: (() => void) | undefined }) {
  const { project, path } = useProject();
  if (filtered) {
    return (
      <Blank icon="search" title="No tag has this name">
        <p>The words leave no tag of {project.name}.</p>
        <div className="row"><Link className="btn" to={path("tags")}>Show all tags</Link></div>
      </Blank>
    );
  }
  return (
    <Blank icon="tag" title="No tags yet">
      <p>
        Tags sort tests and monitors, such as <code>smoke</code> or <code>nightly</code>. Lists can be filtered by them.
        {!create && ` An editor of ${project.name} can create one.`}
      </p>
      {create && (
        <>
          <div className="row">
            <button className="btn btn-primary" type="button" aria-haspopup="dialog" onClick={create}>
              <Icon name="plus" />Create tag
            </button>
          </div>
          <p className="small faint">Or from a shell:</p>
          <CommandLine command="svc tag create smoke --hex '#1f883d'" />
        </>
      )}
    </Blank>
  );
}

export default function TagsPage() {
  const { project } = useProject();
  const { search, page } = useSearch({ from: ROUTE });
  const [asked, setAsked] = useState<Act>();
  useTitle("Tags", project.name);
  const tags = useTags();
  const shown = tags.data && pageOfTags(tags.data, search, page);
  const again = () => void tags.refetch();
  const edits = hasRole(project.role, "project_editor");
  const create = () => setAsked("create");
  const close = () => setAsked(undefined);
  return (
    <div className="page">
      <PageHead
        title="Tags" lead={`Words that sort tests and monitors of ${project.name}. A project has at most ${MOST_TAGS_OF_PROJECT}.`}
        actions={edits && tags.data && tags.data.length > 0 && (
          <button className="btn btn-primary" type="button" aria-haspopup="dialog" onClick={create}><Icon name="plus" />Create tag</button>
        )}
      />
      <section className="section" aria-label={`Tags of ${project.name}`}>
        {(search || (tags.data && tags.data.length > 0)) && <Filters key={search} />}
        {tags.error && tags.data && <LoadError what="Changes" error={tags.error} retry={again} />}
        {tags.error && !tags.data && <PageError thing="This list" what="The tags" error={tags.error} retry={again} />}
        {!tags.data && !tags.error && <Skeleton name="tags" />}
        {shown && shown.rows.length > 0 && (
          <CardTable
            caption={`Tags of ${project.name}, by name`} foot={<ListFoot things="Tags" page={shown} words={["Previous", "Next"]} />}
            heads={[
              ["name", "Name"], ["color", "Colour"], ["created", <>Created, <ZoneName /></>], ["changed", <>Changed, <ZoneName /></>],
            ]}
          >
            {shown.rows.map((tag) => <TagRow key={tag.id} tag={tag} ask={setAsked} />)}
          </CardTable>
        )}
        {shown && shown.rows.length === 0 && (
          <div className="panel"><NoTags filtered={Boolean(search) || Boolean(page)} create={edits ? create : undefined} /></div>
        )}
      </section>
      <AsApi
        views={[{ request: { method: "GET", path: "/api/tags", query: { limit: 100 } }, svc: svcLine(["tag", "list"], { limit: 100 }) }]}
      />
      {asked === "create" && <CreateTag onClose={close} />}
      {typeof asked === "object" && asked.act === "edit" && <EditTag tag={asked.tag} onClose={close} />}
      {typeof asked === "object" && asked.act === "delete" && <DeleteTag tag={asked.tag} onClose={close} />}
    </div>
  );
}
