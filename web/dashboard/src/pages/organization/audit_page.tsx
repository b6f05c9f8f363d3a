import { useNavigate, useSearch } from "@tanstack/react-router";
import { account } from "../../api/services";
import { AuditView } from "../audit/audit_view";
import type { AuditEntry } from "../audit/audit_words";
import { list } from "../project_queries";
import { NeedsAdmin } from "./needs_admin";
import { useOrganization } from "./organization_context";
import { readMembers } from "./organization_queries";

function Audit() {
  const { organization, key, path } = useOrganization();
  const search = useSearch({ from: "/signed-in/$org/_/audit" });
  const navigate = useNavigate({ from: "/$org/_/audit" });
  return (
    <AuditView
      search={search} apply={(query) => void navigate({ search: { ...query } })}
      place={{
        name: organization.name, key, role: organization.role, listPath: path("audit"),
        lead: `Every change in ${organization.name} and its projects: the actor, the time and the details. Nobody can edit these rows.`,
        read: (query, headers, signal) =>
          list<AuditEntry>(account.GET("/dashboard/v1/organizations/{organizationId}/audit", {
            params: { path: { organizationId: organization.id }, query: { limit: 50, ...query } }, headers, signal,
          })),
        readPeople: (page, headers, signal) => readMembers(organization.id, page, headers, signal),
      }}
    />
  );
}

export default function AuditPage() {
  return <NeedsAdmin><Audit /></NeedsAdmin>;
}
