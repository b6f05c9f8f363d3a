import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { CopyButton } from "../../parts/copy";
import { AppDialog } from "../../parts/dialog";

interface LinkProps {
  email: string;
  link: string;
  onDone: () => void;
}

/** Shows the link of an invitation once. Neither Escape nor Back closes it; the link is in memory only. */
export function InvitationLink({ email, link, onDone }: LinkProps) {
  const [stored, setStored] = useState(false);
  useBlocker({
    shouldBlockFn: () => !window.confirm("Leave without the link? It cannot be shown again; renew the invitation for a new one."),
    enableBeforeUnload: () => true,
  });
  return (
    <AppDialog title={`Invitation link for ${email}`} onClose={() => {}} keep>
      <div className="dialog-body">
        <p className="muted">
          Send this link to {email} yourself. It works for 7 days and only for this address. It cannot be shown again.
        </p>
        <div className="reveal-key">
          <code tabIndex={0} className="wrap-any">{link}</code>
          <CopyButton text={link} label="Copy link" word="Copy link" primary />
        </div>
        <label className="check">
          <input type="checkbox" name="stored" checked={stored} onChange={(event) => setStored(event.target.checked)} />
          <span>I have copied the link</span>
        </label>
      </div>
      <div className="dialog-foot">
        <button className="btn" type="button" aria-disabled={!stored} onClick={() => stored && onDone()}>Done</button>
      </div>
    </AppDialog>
  );
}
