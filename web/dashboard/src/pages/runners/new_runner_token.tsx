import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { ApiError } from "../../api/errors";
import { BACKGROUND } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { ActError } from "../../parts/feedback";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { Sign } from "../../parts/icon";
import { Crumbs, PageHead } from "../../parts/page";
import { SecretPage } from "../../parts/secret_page";
import { Moment } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import type { RunnerPlace, RunnerTokenCreated } from "./runner_place";
import { runnerSnippets } from "./runner_snippets";

const ASK_EVERY = 2000;

function FirstRunner({ place, id }: { place: RunnerPlace; id: string }) {
  const { data } = useQuery({
    queryKey: [place.key, "runners", "first", id],
    queryFn: async ({ signal }) =>
      (await place.readRunners(BACKGROUND, signal)).rows.find((one) => one.token.id === id) ?? null,
    refetchInterval: (query) => (query.state.data ? false : ASK_EVERY),
    refetchIntervalInBackground: false,
  });
  return (
    <section className={`banner${data ? " s-passed" : ""}`} aria-label="First runner" aria-live="polite">
      <Sign name={data ? "passed" : "running"} look={data ? "s-passed" : "s-running"} />
      <div className="stack g-1">
        <p className="banner-title">{data ? `Runner ${data.name} has signed in` : "Waiting for the first runner with this token"}</p>
        <p className="small muted">
          {data
            ? <>It takes runs since <Moment value={data.registeredAt} />, at most {data.slots} at the same time.</>
            : "This page shows the runner within seconds."}
        </p>
      </div>
      <div className="actions" />
    </section>
  );
}

function RunnerSecret({ made, place }: { made: RunnerTokenCreated; place: RunnerPlace }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const snippets = useMemo(() => runnerSnippets(location.hostname, made.key), [made.key]);
  const leave = () => navigate({ to: place.listPath, ignoreBlocker: true, replace: true });
  const revoke = useMutation({
    mutationFn: () => place.revoke(made.id),
    onSuccess: () => (toast({ text: `Runner token ${made.name} was revoked.` }), leave()),
  });
  return (
    <>
      <SecretPage
        secret={made.key} thing="runner token" snippets={snippets} use={<FirstRunner place={place} id={made.id} />}
        onDone={() => void leave()}
        facts={<><bdi>{made.createdBy?.name}</bdi><span>{place.place}</span><span className="push">Does not expire</span></>}
        revoke={
          <button className="btn btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
            Revoke runner token
          </button>
        }
      />
      {asking && (
        <Confirm
          title={`Revoke runner token ${made.name}?`} verb="Revoke runner token" keepWord="Keep runner token" busy={revoke.isPending}
          error={revoke.error} onClose={() => setAsking(false)} onConfirm={() => !revoke.isPending && revoke.mutate()}
        >
          <p className="muted">No runner can use it any more.</p>
        </Confirm>
      )}
    </>
  );
}

function TokenForm({ place, onMade }: { place: RunnerPlace; onMade: (made: RunnerTokenCreated) => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [missing, setMissing] = useState(false);
  const create = useMutation({
    mutationFn: () => place.create(name.trim()),
    gcTime: 0,
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: [place.key, "runner-tokens"] });
      onMade(made);
    },
  });
  const changed = name !== "" && !create.isSuccess;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? The name that you typed is lost."), enableBeforeUnload: () => changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    setMissing(name.trim() === "");
    if (name.trim()) create.mutate();
  };
  const detail = detailsByField(create.error).get("/name");
  const taken = create.error instanceof ApiError && create.error.code === "name_taken";
  const nameError = missing ? "Enter a name." : detail ? sentence(detail)
    : taken ? "Another runner token has this name. Choose another one." : undefined;
  return (
    <form className="form" noValidate onSubmit={submit}>
      {create.error && !nameError && <ActError title="The runner token was not created" error={create.error} />}
      <TextField
        label="Name" name="name" value={name} onChange={(value) => (setName(value), setMissing(false))} autoFocus autoComplete="off"
        maxLength={100} error={nameError} hint="The machines that will have it, such as build machines."
      />
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create runner token</button>
        <Link className="btn" to={place.listPath}>Cancel</Link>
      </div>
    </form>
  );
}

/** Creates a runner token and shows its secret once. */
export function NewRunnerToken({ place }: { place: RunnerPlace }) {
  const [made, setMade] = useState<RunnerTokenCreated>();
  useTitle(made ? "Runner token created" : "Create runner token", place.place);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Runners", to: place.listPath }, { word: made?.name ?? "Create runner token" }]} />
      {made
        ? (
          <>
            <PageHead
              title={`Runner token created: ${made.name}`}
              lead="This page shows the whole token once. Store it now. If you lose it, revoke it and create another one."
            />
            <RunnerSecret made={made} place={place} />
          </>
        )
        : (
          <>
            <PageHead title="Create runner token" lead={`Runners with this token take runs of ${place.serves}.`} />
            <TokenForm place={place} onMade={setMade} />
          </>
        )}
    </div>
  );
}
