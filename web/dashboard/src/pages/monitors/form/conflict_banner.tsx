import { Sign } from "../../../parts/icon";
import { Moment } from "../../../parts/time";
import type { Difference } from "./conflict";

interface ConflictProps {
  thing: string;
  changedAt: string;
  differences: readonly Difference[];
  keep: () => void;
  discard: () => void;
}

/** Another person saved first: both versions of each field, and the choice. */
export function ConflictBanner({ thing, changedAt, differences, keep, discard }: ConflictProps) {
  const width = Math.max(...differences.map((one) => one.pointer.length), 0) + 2;
  return (
    <div className="banner s-warning" role="alert">
      <Sign name="degraded" look="s-warning" />
      <div className="stack g-2">
        <div className="stack g-1">
          <p className="banner-title">Another person changed this {thing} at <Moment value={changedAt} /></p>
          <p className="small">Your changes are still on this page. Your version keeps what only the other person changed.</p>
        </div>
        <div className="code">
          <pre tabIndex={0} role="region" aria-label="Both versions">
            <code>
              {differences.map((one) => (
                <span key={one.pointer}>
                  {one.pointer.slice(1).padEnd(width)}
                  <span className="del">{one.saved}, saved</span>{"   "}<span className="ins">{one.own}, you</span>{"\n"}
                </span>
              ))}
              {differences.length === 0 && "Both versions have the same values."}
            </code>
          </pre>
        </div>
      </div>
      <div className="actions">
        <button className="btn btn-s" type="button" onClick={keep}>Keep my version</button>
        <button className="btn btn-s" type="button" onClick={discard}>Use the saved version</button>
      </div>
    </div>
  );
}
