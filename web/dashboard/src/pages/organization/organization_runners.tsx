import { useMemo } from "react";
import { account, take } from "../../api/services";
import { useTitle } from "../../parts/use_title";
import { list } from "../project_queries";
import { NewRunnerToken } from "../runners/new_runner_token";
import type { Runner, RunnerPlace, RunnerToken } from "../runners/runner_place";
import { RunnersView } from "../runners/runners_view";
import { NeedsAdmin } from "./needs_admin";
import { useOrganization } from "./organization_context";

const ROUTE = "/dashboard/v1/organizations/{organizationId}";

function useRunnerPlace(): RunnerPlace {
  const { organization, key, path, admin } = useOrganization();
  return useMemo(() => {
    const whole = { organizationId: organization.id };
    const page = { path: whole, query: { limit: 100 } };
    return {
      place: `organisation ${organization.name}`, serves: `all projects of ${organization.name}`, key, role: organization.role, admin,
      listPath: path("runners"), newPath: path("runners", "new"),
      readTokens: (headers, signal) => list<RunnerToken>(account.GET(`${ROUTE}/runner-tokens`, { params: page, headers, signal })),
      readRunners: (headers, signal) => list<Runner>(account.GET(`${ROUTE}/runners`, { params: page, headers, signal })),
      create: (name) => take(account.POST(`${ROUTE}/runner-tokens`, { params: { path: whole }, body: { name } })),
      revoke: (id) => take(account.DELETE(`${ROUTE}/runner-tokens/{id}`, { params: { path: { ...whole, id } } })),
    };
  }, [organization, key, path, admin]);
}

export function OrganizationRunnersPage() {
  const place = useRunnerPlace();
  useTitle("Runners", place.place);
  return <NeedsAdmin><RunnersView place={place} /></NeedsAdmin>;
}

export function NewOrganizationRunnerTokenPage() {
  const place = useRunnerPlace();
  return <NeedsAdmin><NewRunnerToken place={place} /></NeedsAdmin>;
}
