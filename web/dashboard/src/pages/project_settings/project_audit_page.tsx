import { useNavigate, useSearch } from "@tanstack/react-router";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { useZone } from "../../parts/use_clock";
import { AuditView } from "../audit/audit_view";
import { type AuditEntry, auditFilters } from "../audit/audit_words";
import { readMembers } from "../organization/organization_queries";
import { useProject } from "../project_context";
import { list } from "../project_queries";
import { NeedsProjectAdmin } from "../needs_project_role";

const LIMIT = 50;

function Audit() {
  const { project, api, key, path } = useProject();
  const search = useSearch({ from: "/signed-in/$org/$project/audit" });
  const navigate = useNavigate({ from: "/$org/$project/audit" });
  const { actorId: actor, ...filters } = auditFilters(search, useZone());
  const lines = { ...filters, page: search.page, limit: LIMIT };
  return (
    <AuditView
      search={search} apply={(query) => void navigate({ search: { ...query } })}
      place={{
        name: project.name, key, role: project.role, listPath: path("audit"),
        lead: `Every change in ${project.name}: the actor, the time and the details. Nobody can edit these rows.`,
        read: (query, headers, signal) =>
          list<AuditEntry>(api.GET("/api/audit", { params: { query: { limit: LIMIT, ...query } }, headers, signal })),
        // Administrators of the organisation change the project without a role in it.
        readPeople: (page, headers, signal) => readMembers(project.organization.id, page, headers, signal),
      }}
    >
      <AsApi
        views={[{
          request: { method: "GET", path: "/api/audit", query: { actorId: actor, ...lines } },
          svc: svcLine(["audit"], { actor, ...lines }),
        }]}
      />
    </AuditView>
  );
}

export default function ProjectAuditPage() {
  return <NeedsProjectAdmin><Audit /></NeedsProjectAdmin>;
}
