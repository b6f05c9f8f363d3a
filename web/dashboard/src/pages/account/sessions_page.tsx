import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { account as client, take } from "../../api/services";
import { CardRows } from "../../parts/card_table";
import { ActError, LoadError, Skeleton } from "../../parts/feedback";
import { State } from "../../parts/icon";
import { useTitle } from "../../parts/use_title";
import { Moment, ZoneName } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { browserName } from "./user_agent";

const KEY = ["sessions"];
const ACTIVE = { word: "Active", sign: "passed", look: "s-active" } as const;
const METHODS: Record<string, string> = { password: "By password", link: "By a link" };
const THIS = { word: "This browser", sign: "passed", look: "s-active" } as const;

export default function SessionsPage() {
  useTitle("Sessions", "Your account");
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) =>
      (await take(client.GET("/dashboard/v1/me/sessions", { signal, params: { query: { limit: 50 } } }))).data,
  });
  const changed = () => queries.invalidateQueries({ queryKey: KEY });
  const end = useMutation({
    mutationFn: (id: string) => take(client.DELETE("/dashboard/v1/me/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () => (toast({ text: "The session has ended." }), changed()),
  });
  const endOthers = useMutation({
    mutationFn: () => take(client.DELETE("/dashboard/v1/me/sessions")),
    onSuccess: () => (toast({ text: "All your other sessions have ended." }), changed()),
  });
  if (sessions.error && !sessions.data) {
    return <LoadError what="Your sessions" error={sessions.error} retry={() => void sessions.refetch()} />;
  }
  if (!sessions.data) return <Skeleton name="sessions" />;
  const error = end.error ?? endOthers.error;
  return (
    <section className="section" aria-label="Sessions">
      {error && <ActError title="The session has not ended" error={error} />}
      <div className="panel">
        <CardRows
          caption="Your sessions, the newest first"
          heads={
            <>
              <th scope="col" role="columnheader">State</th>
              <th scope="col" role="columnheader">Browser</th>
              <th scope="col" role="columnheader">Signed in, <ZoneName /></th>
              <th scope="col" role="columnheader">Last seen</th>
              <th scope="col" role="columnheader">Ends</th>
              <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
            </>
          }
        >
          {sessions.data.map((one) => (
            <tr role="row" key={one.id}>
              <td className="cell-state" role="cell"><State state={one.current ? THIS : ACTIVE} /></td>
              <th scope="row" role="rowheader" className="cell-grow">
                <div className="cell-name">
                  <span className="clip" title={one.userAgent}>{browserName(one.userAgent)}</span>
                  <span className="cell-sub mono">{one.ip}</span>
                </div>
              </th>
              <td data-label="Signed in" role="cell">
                <div className="cell-name">
                  <Moment value={one.createdAt} form="minutes" />
                  <span className="cell-sub">{one.provider ?? METHODS[one.method] ?? one.method}</span>
                </div>
              </td>
              <td data-label="Last seen" role="cell"><Moment value={one.lastSeenAt} form="minutes" /></td>
              <td data-label="Ends" role="cell"><Moment value={one.expiresAt} form="minutes" /></td>
              <td className="cell-actions" role="cell">
                {!one.current && (
                  <button
                    className="btn btn-s" type="button" aria-label={`End the session of ${browserName(one.userAgent)} at ${one.ip}`}
                    aria-disabled={end.isPending} onClick={() => !end.isPending && end.mutate(one.id)}
                  >
                    End session
                  </button>
                )}
              </td>
            </tr>
          ))}
        </CardRows>
        {sessions.data.length > 1 && (
          <div className="panel-foot">
            <span>{sessions.data.length} sessions</span>
            <button
              className="btn btn-s btn-danger-quiet push" type="button" aria-disabled={endOthers.isPending}
              onClick={() => !endOthers.isPending && endOthers.mutate()}
            >
              End all other sessions
            </button>
          </div>
        )}
      </div>
    </section>
  );
}
