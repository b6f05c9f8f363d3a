import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePolled } from "../../api/use_polled";
import { CardTable } from "../../parts/card_table";
import { Confirm } from "../../parts/dialog";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon, State } from "../../parts/icon";
import { PageHead } from "../../parts/page";
import { roleWord } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useNow } from "../../parts/use_clock";
import { numberText } from "../../time/format";
import { type Runner, type RunnerPlace, type RunnerToken, runnerState } from "./runner_place";

const countText = (count: number, thing: string) => `${numberText(count)} ${thing}${count === 1 ? "" : "s"}`;

function RunnerRow({ runner, now }: { runner: Runner; now: Date }) {
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={runnerState(runner, now)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <bdi className="medium clip">{runner.name}</bdi>
          <span className="cell-sub wrap-any">{runner.labels.join(", ")}</span>
        </div>
      </th>
      <td data-label="Serves" role="cell"><bdi className="nowrap">{runner.project?.name ?? "All projects"}</bdi></td>
      <td data-label="Slots" role="cell">{numberText(runner.busy)} of {numberText(runner.slots)} in use</td>
      <td data-label="Version" role="cell">{runner.version}</td>
      <td data-label="Token" role="cell"><bdi>{runner.token.name}</bdi></td>
      <td data-label="Last contact" role="cell"><Moment value={runner.lastSeenAt} /></td>
      <td className="cell-actions" role="cell" />
    </tr>
  );
}

function TokenRow({ token, revoke }: { token: RunnerToken; revoke: () => void }) {
  return (
    <tr role="row">
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name"><bdi className="medium clip">{token.name}</bdi><code className="cell-sub">{token.start}</code></div>
      </th>
      <td data-label="Serves" role="cell"><bdi className="nowrap">{token.project?.name ?? "All projects"}</bdi></td>
      <td data-label="Runners" role="cell">{numberText(token.runners)}</td>
      <td data-label="Last contact" role="cell"><Moment value={token.lastSeenAt} missing="Never" /></td>
      <td data-label="Created" role="cell">
        <div className="cell-name">
          <Moment value={token.createdAt} form="date" />
          <span className="cell-sub">{token.createdBy?.name ?? "the operator"}</span>
        </div>
      </td>
      <td className="cell-actions" role="cell">
        <button
          className="btn btn-s btn-danger-quiet" type="button" aria-haspopup="dialog" aria-label={`Revoke ${token.name}`} onClick={revoke}
        >
          Revoke
        </button>
      </td>
    </tr>
  );
}

/** Runners and runner tokens of a project or of an organisation. */
export function RunnersView({ place }: { place: RunnerPlace }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState<RunnerToken>();
  const tokens = usePolled({ key: [place.key, "runner-tokens"], read: place.readTokens });
  const runners = usePolled({ key: [place.key, "runners"], read: place.readRunners });
  const revoke = useMutation({
    mutationFn: (one: RunnerToken) => place.revoke(one.id),
    onSuccess: (_, one) => {
      setAsking(undefined);
      toast({ text: `Runner token ${one.name} was revoked.` });
      return Promise.all([
        client.invalidateQueries({ queryKey: [place.key, "runner-tokens"] }),
        client.invalidateQueries({ queryKey: [place.key, "runners"] }),
      ]);
    },
  });
  const now = useNow();
  const error = tokens.error ?? runners.error;
  const again = () => void Promise.all([tokens.refetch(), runners.refetch()]);
  const create = <Link className="btn btn-primary" to={place.newPath}><Icon name="plus" />Create runner token</Link>;
  const loaded = tokens.data && runners.data;
  return (
    <div className="page">
      <PageHead
        title="Runners" lead={`Programs on machines of your choice that execute the runs of ${place.serves}.`}
        actions={loaded && tokens.data.rows.length + runners.data.rows.length > 0 && create}
      />
      {error && loaded && <LoadError what="Changes" error={error} retry={again} />}
      {error && !loaded && (
        <PageError
          thing="This list" what="The runners" error={error} retry={again} roles={{ needed: "administrator", own: roleWord(place.role) }}
        />
      )}
      {!loaded && !error && <Skeleton name="runners" />}
      {loaded && tokens.data.rows.length === 0 && runners.data.rows.length === 0 && (
        <div className="panel">
          <Blank icon="server" title="No runners yet">
            <p>A runner signs in with a runner token, and needs no access to the stores. Create a token, and start svc-runner with it.</p>
            <div className="row">{create}</div>
          </Blank>
        </div>
      )}
      {loaded && (tokens.data.rows.length > 0 || runners.data.rows.length > 0) && (
        <>
          <section className="section" aria-labelledby="runners-head">
            <h2 id="runners-head">{countText(runners.data.pagination.total, "runner")}</h2>
            {runners.data.rows.length === 0
              ? <p className="muted">No runner has signed in. Start svc-runner with one of the tokens.</p>
              : (
                <CardTable
                  caption={`Runners of ${place.place}`}
                  heads={[
                    ["state", "State"], ["name", "Name"], ["serves", "Serves"], ["slots", "Slots"], ["version", "Version"],
                    ["token", "Token"], ["seen", <>Last contact, <ZoneName /></>],
                  ]}
                  foot={
                    runners.data.rows.some((one) => runnerState(one, now).word === "Silent") && (
                      <div className="panel-foot">
                        <span>A runner that was not heard of for a minute is silent, and takes no runs.</span>
                      </div>
                    )
                  }
                >
                  {runners.data.rows.map((one) => <RunnerRow runner={one} now={now} key={one.id} />)}
                </CardTable>
              )}
          </section>
          <section className="section" aria-labelledby="tokens-head">
            <h2 id="tokens-head">{countText(tokens.data.pagination.total, "runner token")}</h2>
            {tokens.data.rows.length === 0
              ? <p className="muted">These runners serve the whole organisation, which has their tokens.</p>
              : (
                <CardTable
                  caption={`Runner tokens of ${place.place}`}
                  heads={[
                    ["name", "Name"], ["serves", "Serves"], ["runners", "Runners"], ["seen", <>Last contact, <ZoneName /></>],
                    ["created", "Created"],
                  ]}
                  foot={<div className="panel-foot"><span>At most 50 for an organisation and its projects</span></div>}
                >
                  {tokens.data.rows.map((one) => <TokenRow token={one} key={one.id} revoke={() => (revoke.reset(), setAsking(one))} />)}
                </CardTable>
              )}
          </section>
        </>
      )}
      {asking && (
        <Confirm
          title={`Revoke runner token ${asking.name}?`} verb="Revoke runner token" keepWord="Keep runner token" busy={revoke.isPending}
          error={revoke.error} onClose={() => setAsking(undefined)} onConfirm={() => !revoke.isPending && revoke.mutate(asking)}
        >
          <p className="muted">
            {asking.runners === 0 ? "No runner uses it." : asking.runners === 1 ? "1 runner uses it and takes no more runs."
              : `${numberText(asking.runners)} runners use it and take no more runs.`} It cannot be restored.
          </p>
        </Confirm>
      )}
    </div>
  );
}
