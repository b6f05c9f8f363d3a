import type { ReactNode } from "react";
import { Sign } from "./icon";
import { Moment } from "./time";
import { expectRefusal, useRefusalFocus } from "./use_refusal_focus";

interface FrameProps {
  /** Such as "job". */
  thing: string;
  savedAt: string;
  /** The sentences below the title. */
  lead: ReactNode;
  /** Both versions. */
  children: ReactNode;
  /** The words of the button that saves, or undefined if there is nothing to save. */
  saveWord: string | undefined;
  busy: boolean;
  save: () => void;
  /** Gives up the own version. */
  load: () => void;
}

/** Somebody else saved first: when, both versions, and the two ways on. */
export function ConflictFrame({ thing, savedAt, lead, children, saveWord, busy, save, load }: FrameProps) {
  const banner = useRefusalFocus(savedAt);
  return (
    <section className="banner s-warning" role="alert" aria-label="Conflict" tabIndex={-1} ref={banner}>
      <Sign name="degraded" look="s-warning" />
      <div className="stack g-3">
        <div className="stack g-1">
          <p className="banner-title">This {thing} was changed at <Moment value={savedAt} /> while you edited it</p>
          <p className="small">{lead}</p>
        </div>
        {children}
        <div className="row g-2">
          {saveWord && (
            <button className="btn btn-s" type="button" aria-disabled={busy} onClick={() => !busy && (expectRefusal(), save())}>
              {saveWord}
            </button>
          )}
          <button className="btn btn-s" type="button" onClick={load}>Load the saved version</button>
        </div>
      </div>
    </section>
  );
}
