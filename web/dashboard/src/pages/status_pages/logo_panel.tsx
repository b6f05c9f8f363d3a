import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { ActError } from "../../parts/feedback";
import { FieldNote } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { LOGO_TYPES, type LogoType, base64Of, logoError } from "./domain_states";
import type { StatusPage } from "./page_queries";

interface Picture {
  name: string;
  type: LogoType;
  data: string;
}

/** Sends and removes the picture of a page. */
function useLogo(page: StatusPage, onDone: () => void) {
  const { api } = useProject();
  const path = { id: page.id };
  const send = useMutation({
    mutationFn: ({ type, data }: Picture) =>
      take(api.PUT("/api/status-pages/{id}/logo", { params: { path }, body: { contentType: type, data } })),
    onSuccess: () => {
      toast({ text: "The logo was stored." });
      onDone();
    },
  });
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/status-pages/{id}/logo", { params: { path } })),
    onSuccess: () => {
      toast({ text: "The page has no logo now.", sign: "cancelled", look: "s-cancelled" });
      onDone();
    },
  });
  return { send, remove };
}

/** The logo that visitors see. Only a published page serves it, so it is asked for by hand. */
function StoredLogo({ page }: { page: StatusPage }) {
  // The time of the request is part of the address, because the browser keeps a logo for some time.
  const [shown, setShown] = useState<number>();
  const [missing, setMissing] = useState(false);
  if (page.status !== "published") return <p className="small muted">The stored logo shows on the page once it is published.</p>;
  const show = () => {
    setMissing(false);
    setShown(Date.now());
  };
  return (
    <>
      {missing && (
        <p className="small muted" role="status">
          The page has no logo, or you are not among its visitors. A new logo may need two seconds until visitors see it.
        </p>
      )}
      {shown === undefined || missing
        ? <button className="btn btn-s" type="button" onClick={show}>Show the stored logo</button>
        : <img className="page-logo" src={`/status/${page.slug}/logo?at=${shown}`} alt="Stored logo" onError={() => setMissing(true)} />}
    </>
  );
}

/** The picture at the head of the page. */
export function LogoPanel({ page }: { page: StatusPage }) {
  const field = useId();
  const [picture, setPicture] = useState<Picture>();
  const [error, setError] = useState<string>();
  const [asking, setAsking] = useState(false);
  // A changed logo is asked for again, and a form that has done its work starts with an empty field.
  const [round, setRound] = useState(0);
  const newest = useRef<File>(undefined);
  const { send, remove } = useLogo(page, () => {
    setPicture(undefined);
    setAsking(false);
    setRound((old) => old + 1);
  });
  const choose = async (file: File | undefined) => {
    send.reset();
    setPicture(undefined);
    setError(file && logoError(file));
    newest.current = file;
    if (!file || logoError(file)) return;
    const bytes = await file.arrayBuffer().catch(() => undefined);
    // Another picture may have been chosen meanwhile.
    if (newest.current !== file) return;
    if (!bytes) return setError("The file could not be read. Choose it again.");
    setPicture({ name: file.name, type: file.type as LogoType, data: base64Of(new Uint8Array(bytes)) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    if (!picture) return setError((old) => old ?? "Choose a picture.");
    send.mutate(picture);
  };
  return (
    <form className="panel" noValidate aria-labelledby="logo-head" onSubmit={submit}>
      <div className="panel-head"><h2 id="logo-head">Logo</h2></div>
      <div className="panel-body form">
        {send.error && <ActError title="The logo was not stored" error={send.error} />}
        <StoredLogo key={round} page={page} />
        <div className="field">
          <label className="label" htmlFor={field}>Picture</label>
          <input
            className="input" id={field} key={round} name="logo" type="file" accept={LOGO_TYPES.join()}
            aria-invalid={error ? true : undefined} aria-describedby={`${field}-note`}
            onChange={(event) => void choose(event.target.files?.[0])}
          />
          <FieldNote id={`${field}-note`} error={error} hint="PNG, JPEG or WebP of at most 256 KiB." />
        </div>
        {picture && <img className="page-logo" src={`data:${picture.type};base64,${picture.data}`} alt={`Chosen logo: ${picture.name}`} />}
        <div className="form-actions">
          <button className="btn" type="submit" aria-disabled={send.isPending} data-pending={send.isPending || undefined}>
            <Icon name="arrow" />Upload logo
          </button>
          <button className="btn btn-quiet" type="button" aria-haspopup="dialog" onClick={() => (remove.reset(), setAsking(true))}>
            Remove logo
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={`Remove the logo of ${page.name}?`} verb="Remove logo" keepWord="Keep logo" busy={remove.isPending} error={remove.error}
          onClose={() => setAsking(false)} onConfirm={() => !remove.isPending && remove.mutate()}
        >
          <p>The page shows its name instead.</p>
        </Confirm>
      )}
    </form>
  );
}
