import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { CodeBlock, CopyButton } from "./copy";
import { AppDialog } from "./dialog";

export interface Snippet {
  place: string;
  lead: ReactNode;
  name: string;
  text: string;
}

interface SecretPageProps {
  secret: string;
  /** Such as "token"; the button copies it. */
  thing: string;
  /** Whose it is, and until when. */
  facts: ReactNode;
  snippets: readonly Snippet[];
  /** The wait for the first use. */
  use: ReactNode;
  onDone: () => void;
  /** The act that ends the credential. */
  revoke: ReactNode;
}

const startOf = (secret: string) => /^svc_[a-z]+_/.exec(secret)?.[0] ?? "";

/**
 * Shows a secret once. Escape, Back, reload and navigation ask for confirmation until "I stored it" is pressed. The secret is in
 * memory only: no address, storage or title holds it.
 */
export function SecretPage({ secret, thing, facts, snippets, use, onDone, revoke }: SecretPageProps) {
  const [stored, setStored] = useState(false);
  const blocker = useBlocker({ shouldBlockFn: () => !stored, enableBeforeUnload: () => !stored, withResolver: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (stored) onDone();
  };
  return (
    <>
      <section className="reveal" aria-labelledby="secret-head">
        <h2 className="vh" id="secret-head">The {thing}</h2>
        <div className="reveal-key">
          <code><span className="pre">{startOf(secret)}</span>{secret.slice(startOf(secret).length)}</code>
          <CopyButton text={secret} label={`Copy ${thing}`} word={`Copy ${thing}`} primary autoFocus />
        </div>
        <div className="panel-foot">{facts}</div>
      </section>
      <section className="section" aria-labelledby="store-head">
        <h2 id="store-head">Store it</h2>
        <Tabs className="stack g-3">
          <TabList className="tabs" aria-label="Place">
            {snippets.map((one) => <Tab className="tab" id={one.place} key={one.place}>{one.place}</Tab>)}
          </TabList>
          {snippets.map((one) => (
            <TabPanel className="stack g-3" id={one.place} key={one.place}>
              <p className="muted">{one.lead}</p>
              <CodeBlock name={one.name} text={one.text} />
            </TabPanel>
          ))}
        </Tabs>
      </section>
      {use}
      <form className="stack g-4" onSubmit={submit}>
        <label className="check">
          <input type="checkbox" name="stored" checked={stored} onChange={(event) => setStored(event.target.checked)} />
          <span>I stored it. The {thing} cannot be shown again.</span>
        </label>
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={!stored}>Done</button>
          {revoke}
        </div>
      </form>
      {blocker.status === "blocked" && (
        <AppDialog title={`Leave without storing the ${thing}?`} alert onClose={blocker.reset}>
          <div className="dialog-body">
            <p className="muted">The {thing} cannot be shown again. Without it you have to rotate or revoke it.</p>
          </div>
          <div className="dialog-foot">
            <button className="btn" type="button" onClick={blocker.reset} autoFocus>Stay on the page</button>
            <button className="btn btn-danger" type="button" onClick={blocker.proceed}>Leave the page</button>
          </div>
        </AppDialog>
      )}
    </>
  );
}
