import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Badge, Icon } from "../../parts/icon";
import { type Crumb, Crumbs, PageHead, Tabs } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { ArchivePage, DeletePage } from "./page_dialogs";
import { type PageAct, PageMenu } from "./page_menu";
import { type StatusPage, usePage } from "./page_queries";
import { VISIBILITIES, componentState, pageAddress, shownAddress } from "./page_states";
import { usePublish } from "./use_page_acts";

export type PageTab = "content" | "history" | "subscribers" | "settings" | "domain";

/** The way to a page of a status page; `rest` follows its name. */
export function PageCrumbs({ page, id, rest = [] }: { page?: StatusPage; id: string; rest?: readonly Crumb[] }) {
  const { path } = useProject();
  const name = page?.name ?? "Status page";
  const own: Crumb = rest.length > 0 ? { word: name, to: path("status-pages", id) } : { word: name };
  return <Crumbs crumbs={[{ word: "Status pages", to: path("status-pages") }, own, ...rest]} />;
}

/** Where the page is, and who sees it. */
function Publication({ page }: { page: StatusPage }) {
  const address = pageAddress(location.origin, page);
  if (page.status === "published") {
    return (
      <>
        Published at <a href={address} target="_blank" rel="noopener noreferrer" className="wrap-any">{shownAddress(page)}</a>,{" "}
        {VISIBILITIES[page.visibility].toLowerCase()}
      </>
    );
  }
  const word = page.status === "draft" ? "A draft" : "Archived";
  return <>{word}: only this project sees it. Its address is <code>{shownAddress(page)}</code></>;
}

function Actions({ page, ask }: { page: StatusPage; ask: (act: PageAct) => void }) {
  const { path, project } = useProject();
  const publish = usePublish();
  const edits = hasRole(project.role, "project_editor");
  return (
    <>
      {page.status === "published" && (
        <a className="btn" href={pageAddress(location.origin, page)} target="_blank" rel="noopener noreferrer">
          <Icon name="external" />View page
        </a>
      )}
      {edits && page.status !== "published" && (
        <button
          className="btn btn-primary" type="button" aria-disabled={publish.isPending}
          onClick={() => !publish.isPending && publish.mutate({ page, status: "published" })}
        >
          <Icon name="globe" />Publish
        </button>
      )}
      {edits && <Link className="btn" to={path("status-pages", page.id, "incidents", "new")}><Icon name="plus" />Create incident</Link>}
      <PageMenu page={page} ask={ask} without={["incident", "settings", "publish"]} />
    </>
  );
}

function PageTabs({ id, tab }: { id: string; tab: PageTab }) {
  const { path, project } = useProject();
  const edits = hasRole(project.role, "project_editor");
  const to = (...parts: string[]) => path("status-pages", id, ...parts);
  return (
    <Tabs
      label="Parts of the status page"
      tabs={[
        { word: "Content", to: to(), current: tab === "content" },
        { word: "History", to: to("incidents"), current: tab === "history" },
        ...(edits ? [
          { word: "Subscribers", to: to("subscribers"), current: tab === "subscribers" },
          { word: "Settings", to: to("settings"), current: tab === "settings" },
          { word: "Domain and logo", to: to("domain"), current: tab === "domain" },
        ] : []),
      ]}
    />
  );
}

interface FrameProps {
  id: string;
  tab: PageTab;
  needsEditor?: boolean;
  children: (page: StatusPage) => ReactNode;
}

function Frame({ id, tab, children }: FrameProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<PageAct>();
  const found = usePage(id);
  const page = found.data;
  useTitle(page?.name, project.name);
  if (!page) {
    return (
      <div className="page">
        <PageCrumbs id={id} />
        {found.error
          ? (
            <PageError
              page thing="This status page" what="The status page" error={found.error} retry={() => void found.refetch()}
              back={<Link className="btn" to={path("status-pages")}>Show all status pages</Link>}
            />
          )
          : <Skeleton name="the status page" />}
      </div>
    );
  }
  const state = componentState(page.componentStatus);
  const close = () => setAsked(undefined);
  return (
    <div className="page">
      <PageCrumbs page={page} id={id} />
      <PageHead
        title={page.name} badge={<Badge state={state} />} lead={<Publication page={page} />}
        actions={<Actions page={page} ask={setAsked} />}
      />
      <PageTabs id={id} tab={tab} />
      <p className="vh" role="status">{`${page.name}: ${state.word}`}</p>
      {found.error && <LoadError what="Changes" error={found.error} retry={() => void found.refetch()} />}
      {children(page)}
      {asked === "archive" && <ArchivePage page={page} onClose={close} />}
      {asked === "delete" && (
        <DeletePage page={page} onClose={close} onDone={() => navigate({ to: path("status-pages"), ignoreBlocker: true, replace: true })} />
      )}
    </div>
  );
}

/** Heading, acts and parts of one status page. */
export function StatusPageFrame(props: FrameProps) {
  return props.needsEditor ? <NeedsEditor><Frame {...props} /></NeedsEditor> : <Frame {...props} />;
}
