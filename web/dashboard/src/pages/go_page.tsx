import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useParams } from "@tanstack/react-router";
import { ApiError } from "../api/errors";
import { account, take } from "../api/services";
import { Blank, LoadError, Skeleton } from "../parts/feedback";
import { isUuid } from "../parts/url_state";
import { useTitle } from "../parts/use_title";
import { LOCATED, type LocatedType, isLocated, pathWithin } from "./located";
import { Frame } from "./shell/frame";

/** Leads a link of a message to the page of its thing. Unknown and foreign ids look alike. */
export default function GoPage() {
  const { type, id } = useParams({ from: "/signed-in/_go/$type/$id" });
  useTitle("Open a link");
  const asked = isLocated(type) && isUuid(id);
  const place = useQuery({
    queryKey: ["locate", type, id], enabled: asked, staleTime: 0, gcTime: 0,
    queryFn: async ({ signal }) => (await take(account.GET("/dashboard/v1/locate", {
      params: { query: { type: type as LocatedType, id: id.toLowerCase() } }, signal,
    }))).path,
  });
  const to = place.data && pathWithin(place.data);
  if (to) return <Navigate to={to} replace />;
  const refused = place.error instanceof ApiError && place.error.code === "policy_not_met" ? place.error : undefined;
  const missing = !asked || (place.error instanceof ApiError && place.error.status === 404) || (place.data && !to);
  const thing = isLocated(type) ? LOCATED[type] : "page";
  const title = refused ? "Another sign-in is needed" : `This ${thing} was not found, or is not yours`;
  return (
    <Frame>
      <div className="page">
        {!missing && !refused && place.error && (
          <LoadError what="The place of the link" error={place.error} retry={() => void place.refetch()} />
        )}
        {asked && !place.data && !place.error && <Skeleton name="the page" />}
        {(missing || refused) && (
          <div className="panel">
            <Blank page icon={refused ? "shield" : "search"} title={title}>
              <p>
                {refused
                  ? refused.message
                  : "It was deleted, or it belongs to a project in which you have no role. An administrator there can give you one."}
              </p>
              <div className="row"><Link className="btn" to="/">Show your projects</Link></div>
            </Blank>
          </div>
        )}
      </div>
    </Frame>
  );
}
