import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { type Account, projectsQuery, useAccount } from "../api/account";
import { Blank, LoadError, Skeleton } from "../parts/feedback";
import { Icon } from "../parts/icon";
import { useTitle } from "../parts/use_title";
import { organizationPath } from "./organization_address";
import { Frame } from "./shell/frame";
import { lastProject } from "./shell/last_project";

/** The user's organisations. Administrators can create a project in each. */
function Organizations({ organizations }: { organizations: Account["organizations"] }) {
  if (organizations.length === 0) return null;
  return (
    <section className="section" aria-labelledby="organizations-head">
      <h2 id="organizations-head">Your organisations</h2>
      <div className="panel">
        <ul className="list">
          {organizations.map((one) => (
            <li className="row between" key={one.id}>
              <Link className="quiet-link medium wrap-any" dir="auto" to={organizationPath(one.slug, "members")}>{one.name}</Link>
              {one.role !== "org_member" && (
                <Link className="btn btn-s" to={organizationPath(one.slug, "projects", "new")} aria-label={`Create project in ${one.name}`}>
                  <Icon name="plus" small />Create project
                </Link>
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** Leads to the project of the last visit, or to the only one; otherwise it lists the projects. */
export default function HomePage() {
  useTitle("Projects");
  const { user, organizations } = useAccount();
  const { data, error, refetch } = useQuery(projectsQuery());
  const visited = lastProject();
  const chosen = data?.find((one) => `${one.organization.slug}/${one.slug}` === visited) ?? (data?.length === 1 ? data[0] : undefined);
  if (chosen) {
    return <Navigate to="/$org/$project/jobs" params={{ org: chosen.organization.slug, project: chosen.slug }} replace />;
  }
  return (
    <Frame>
      <div className="page page-narrow">
        <div className="page-head"><div className="page-title"><h1>Your projects</h1></div></div>
        {error && <LoadError what="Your projects" error={error} retry={() => void refetch()} />}
        {!data && !error && <Skeleton name="projects" />}
        {data?.length === 0 && (
          <div className="panel">
            <Blank icon="building" title="You have no project yet">
              <p>You are signed in as {user.email}. An administrator of your organisation can give you a role in a project.</p>
              <div className="row"><Link className="btn" to="/_account">Show your account</Link></div>
            </Blank>
          </div>
        )}
        {data && data.length > 0 && (
          <div className="panel">
            <ul className="list">
              {data.map((one) => (
                <li className="row between" key={one.id}>
                  <Link
                    className="quiet-link medium wrap-any" dir="auto" to="/$org/$project/jobs"
                    params={{ org: one.organization.slug, project: one.slug }}
                  >
                    {one.name}
                  </Link>
                  <span className="faint">{one.organization.name}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {data && <Organizations organizations={organizations} />}
      </div>
    </Frame>
  );
}
