import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { BACKGROUND, WHOLE } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { Sign } from "../../parts/icon";
import { SecretPage } from "../../parts/secret_page";
import { Moment } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Credential, type CredentialKind, type Made, capital } from "./credential_kind";

const ASK_EVERY = 2000;

/** True if the credential was used after the answer that holds its secret. Uses of an earlier secret count until it ends. */
function isUsed(now: Credential, made: Credential): boolean {
  return now.lastUsedAt !== null && Date.parse(now.lastUsedAt) > Date.parse(made.updatedAt);
}

/** Waits for the first request with the new secret and shows it. */
function FirstUse({ credential, kind }: { credential: Credential; kind: CredentialKind }) {
  const { data } = useQuery({
    queryKey: [...kind.listKey, "use", credential.id, credential.start],
    queryFn: ({ signal }) => kind.read(credential.id, { ...BACKGROUND, ...WHOLE }, signal),
    refetchInterval: (query) => (query.state.data && isUsed(query.state.data, credential) ? false : ASK_EVERY),
    refetchIntervalInBackground: false,
  });
  const used = data !== undefined && isUsed(data, credential);
  return (
    <section className={`banner${used ? " s-passed" : ""}`} aria-label="First use" aria-live="polite">
      <Sign name={used ? "passed" : "running"} look={used ? "s-passed" : "s-running"} />
      <div className="stack g-1">
        <p className="banner-title">{used ? `The ${kind.thing} works` : `Waiting for the first request with this ${kind.thing}`}</p>
        <p className="small muted">
          {used
            ? <>It was used at <Moment value={data.lastUsedAt} />{data.lastUsedIp && ` from ${data.lastUsedIp}`}.</>
            : "This page shows the request and its IP address within seconds."}
        </p>
      </div>
      <div className="actions" />
    </section>
  );
}

/** Shows a new secret once, with the places to store it and its first use. */
export function CredentialSecret({ made: { credential, secret }, kind, role }: { made: Made; kind: CredentialKind; role: string }) {
  const { project } = useProject();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const snippets = useMemo(() => kind.snippets(secret), [kind, secret]);
  const leave = () => navigate({ to: kind.listPath, ignoreBlocker: true, replace: true });
  const revoke = useMutation({
    mutationFn: () => kind.revoke(credential.id),
    onSuccess: () => {
      toast({ text: `${capital(kind.thing)} ${credential.name} was revoked.` });
      return leave();
    },
  });
  return (
    <>
      <SecretPage
        secret={secret} thing={kind.thing} snippets={snippets} onDone={() => void leave()}
        use={<FirstUse credential={credential} kind={kind} />}
        facts={
          <>
            <span dir="auto">{credential.createdBy.name}</span>
            <span>project {project.name}</span>
            <span>{role}</span>
            <span className="push">
              {credential.expiresAt ? <>Expires <Moment value={credential.expiresAt} form="date" /></> : "Does not expire"}
            </span>
          </>
        }
        revoke={
          <button className="btn btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
            Revoke {kind.thing}
          </button>
        }
      />
      {asking && (
        <Confirm
          title={`Revoke ${kind.thing} ${credential.name}?`} verb={`Revoke ${kind.thing}`} keepWord={`Keep ${kind.thing}`}
          busy={revoke.isPending} error={revoke.error} onClose={() => setAsking(false)}
          onConfirm={() => !revoke.isPending && revoke.mutate()}
        >
          <p className="muted">Requests with it are refused immediately, on every instance.</p>
        </Confirm>
      )}
    </>
  );
}
