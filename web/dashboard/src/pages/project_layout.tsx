import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useLocation, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo } from "react";
import { projectQuery } from "../api/account";
import { projectClient, publicClient } from "../api/services";
import { Blank, LoadError, Skeleton } from "../parts/feedback";
import { Frame } from "./shell/frame";
import { rememberProject } from "./shell/last_project";
import { useTroubleReads } from "./shell/use_troubles";
import { movedAddress } from "./organization_address";
import { ProjectContext, type ProjectContextValue } from "./project_context";
import { useProjectFeed } from "./use_project_feed";

function NoProject({ name }: { name: string }) {
  return (
    <div className="panel">
      <Blank page icon="search" title={`You have no project ${name}`}>
        <p>It does not exist or is archived, or you have no role in it. An administrator of the organisation can give you one.</p>
        <div className="row"><Link className="btn" to="/">Show your projects</Link></div>
      </Blank>
    </div>
  );
}

/** Finds the project of the address and gives its pages their clients. */
export default function ProjectLayout() {
  const { org, project: slug } = useParams({ from: "/signed-in/$org/$project" });
  const { pathname } = useLocation();
  const { runId, testId } = useParams({ strict: false });
  const { run } = useSearch({ strict: false });
  const { data: project, error, refetch } = useQuery(projectQuery(org, slug));
  // The page of a test follows the run that its address names.
  const followsRun = Boolean(runId || (testId && run));
  useProjectFeed(followsRun ? undefined : project?.id);
  useTroubleReads(project?.id, { hasFeed: !followsRun, path: pathname });
  const value = useMemo<ProjectContextValue | undefined>(
    () => project
      ? {
          project,
          api: publicClient(project.id),
          pages: projectClient(project.id),
          path: (...parts) => ["", org, slug, ...parts].join("/"),
          key: project.id,
        }
      : undefined,
    [project, org, slug],
  );
  useEffect(() => {
    if (project) rememberProject(org, slug);
  }, [project, org, slug]);
  // The pages of organisations had the place of a project with this short name before.
  const moved = project === null ? movedAddress(pathname) : undefined;
  if (moved) return <Navigate to={moved} replace />;
  // The frame keeps its place, so that it is not drawn anew when the project is known.
  return (
    <ProjectContext value={value}>
      <Frame project={value?.project}>
        {value
          ? <Suspense fallback={<div className="page"><Skeleton name="the page" /></div>}><Outlet /></Suspense>
          : (
            <div className="page">
              {error && <LoadError what="The project" error={error} retry={() => void refetch()} />}
              {project === undefined && !error && <Skeleton name="the project" />}
              {project === null && <NoProject name={`${org}/${slug}`} />}
            </div>
          )}
      </Frame>
    </ProjectContext>
  );
}
