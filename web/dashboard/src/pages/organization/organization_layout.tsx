import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { Suspense, useMemo } from "react";
import { useAccount } from "../../api/account";
import { account, take } from "../../api/services";
import { Blank, LoadError, Skeleton } from "../../parts/feedback";
import { organizationPath } from "../organization_address";
import { Frame } from "../shell/frame";
import { OrganizationContext, type OrganizationContextValue } from "./organization_context";

export const organizationQuery = (organizationId: string) => ({
  queryKey: ["organization", organizationId],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    take(account.GET("/dashboard/v1/organizations/{organizationId}", { params: { path: { organizationId } }, signal })),
});

/** Finds the organisation of the address for its pages. */
export default function OrganizationLayout() {
  const { org } = useParams({ from: "/signed-in/$org/_" });
  const own = useAccount().organizations.find((one) => one.slug === org);
  const { data: organization, error, refetch } = useQuery({ ...organizationQuery(own?.id ?? ""), enabled: own?.policyMet === true });
  const value = useMemo<OrganizationContextValue | undefined>(
    () => organization && {
      organization,
      path: (...parts) => organizationPath(org, ...parts),
      key: organization.id,
      admin: organization.role !== "org_member",
    },
    [organization, org],
  );
  if (!value) {
    return (
      <Frame>
        <div className="page">
          {error && <LoadError what="The organisation" error={error} retry={() => void refetch()} />}
          {own?.policyMet && !error && <Skeleton name="the organisation" />}
          {!own?.policyMet && (
            <div className="panel">
              <Blank
                page icon={own ? "shield" : "search"}
                title={own ? `${own.name} needs another sign-in` : `You have no organisation ${org}`}
              >
                <p>
                  {own
                    ? `${own.name} admits only sessions that started at its identity provider. Sign out, and sign in there.`
                    : "It does not exist, or you are not a member. An administrator of the organisation can invite you."}
                </p>
                <div className="row"><Link className="btn" to="/">Show your projects</Link></div>
              </Blank>
            </div>
          )}
        </div>
      </Frame>
    );
  }
  return (
    <OrganizationContext value={value}>
      <Frame organization={value.organization}>
        <Suspense fallback={<div className="page"><Skeleton name="the page" /></div>}><Outlet /></Suspense>
      </Frame>
    </OrganizationContext>
  );
}
