import { useMemo } from "react";
import { take } from "../../api/services";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { list } from "../project_queries";
import { NewRunnerToken } from "../runners/new_runner_token";
import type { Runner, RunnerPlace, RunnerToken } from "../runners/runner_place";
import { RunnersView } from "../runners/runners_view";
import { NeedsProjectAdmin } from "../needs_project_role";

const TOKENS = "/dashboard/v1/project/runner-tokens";

function useRunnerPlace(): RunnerPlace {
  const { project, pages, key, path } = useProject();
  return useMemo(() => {
    const params = { query: { limit: 100 } };
    return {
      place: `project ${project.name}`, serves: project.name, key, role: project.role, admin: hasRole(project.role, "project_admin"),
      listPath: path("runners"), newPath: path("runners", "new"),
      readTokens: (headers, signal) => list<RunnerToken>(pages.GET(TOKENS, { params, headers, signal })),
      readRunners: (headers, signal) => list<Runner>(pages.GET("/dashboard/v1/project/runners", { params, headers, signal })),
      create: (name) => take(pages.POST(TOKENS, { body: { name } })),
      revoke: (id) => take(pages.DELETE(`${TOKENS}/{id}`, { params: { path: { id } } })),
    };
  }, [project, pages, key, path]);
}

export function ProjectRunnersPage() {
  const place = useRunnerPlace();
  useTitle("Runners", place.place);
  return <NeedsProjectAdmin><RunnersView place={place} /></NeedsProjectAdmin>;
}

export function NewProjectRunnerTokenPage() {
  const place = useRunnerPlace();
  return <NeedsProjectAdmin><NewRunnerToken place={place} /></NeedsProjectAdmin>;
}
