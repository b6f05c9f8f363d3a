import { ConflictFrame } from "../../parts/conflict_frame";
import type { Difference } from "../../parts/conflict";
import { placesText } from "./script/line_diff";
import type { ScriptDifference } from "./test_conflict";
import type { TestField } from "./test_values";

// A banner is no editor: more places than these are easier to compare after one version was saved elsewhere.
const MOST_PLACES = 20;
const MOST_LINES = 12;

interface ConflictProps {
  savedAt: string;
  fields: readonly Difference<TestField>[];
  /** Places of the script, if the user has changed it. */
  places: readonly ScriptDifference[];
  /** Only the other person has changed the script. */
  scriptIsTheirs: boolean;
  busy: boolean;
  /** Puts the saved lines in place of the user's lines. */
  takeSaved: (place: ScriptDifference) => void;
  saveMine: () => void;
  loadSaved: () => void;
}

function Lines({ lines, sign, look, who }: { lines: readonly string[]; sign: string; look: string; who: string }) {
  if (lines.length === 0) return <span className={look}>{`${sign} no line, ${who}\n`}</span>;
  const more = lines.length - MOST_LINES;
  return (
    <>
      {lines.slice(0, MOST_LINES).map((line, at) => <span className={look} key={at}>{`${sign} ${line}\n`}</span>)}
      {more > 0 && <span className="c">{`  and ${more} more lines, ${who}\n`}</span>}
    </>
  );
}

function Place({ place, takeSaved, busy }: { place: ScriptDifference; takeSaved: () => void; busy: boolean }) {
  const name = `line ${place.change.ownFrom + 1}`;
  return (
    <li className="stack g-1">
      <div className="code">
        <pre tabIndex={0} role="region" aria-label={`Both versions of ${name}`}>
          <code>
            <Lines lines={place.saved} sign="-" look="del" who="saved" />
            <Lines lines={place.own} sign="+" look="ins" who="you" />
          </code>
        </pre>
      </div>
      <div className="row g-2">
        <span className="small muted">From {name}: − saved, + you.</span>
        <button className="btn btn-s" type="button" aria-disabled={busy} aria-label={`Take the saved lines at ${name}`} onClick={takeSaved}>
          Take the saved lines
        </button>
      </div>
    </li>
  );
}

function Fields({ fields }: { fields: readonly Difference<TestField>[] }) {
  return (
    <dl className="facts">
      {fields.map((one) => (
        <div key={one.field}>
          <dt>{one.word}</dt>
          <dd>
            <bdi className="del">{one.saved}</bdi> <span className="faint">saved</span>{" "}
            {one.start === "mine" && <><bdi className="ins">{one.mine}</bdi> <span className="faint">you</span></>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Somebody else saved first: both versions of each field and of each place of the script, and the choice. */
export function ConflictBanner(props: ConflictProps) {
  const { savedAt, fields, places, scriptIsTheirs, busy, takeSaved, saveMine, loadSaved } = props;
  const differs = places.length > 0 ? `The scripts differ in ${placesText(places.map((one) => one.change))}.` : "";
  const theirs = scriptIsTheirs ? "You have not changed the script, so that your version takes the saved one." : "";
  const equal = fields.length === 0 && places.length === 0 && !scriptIsTheirs;
  return (
    <ConflictFrame
      thing="test" savedAt={savedAt} saveWord="Save my version" busy={busy} save={saveMine} load={loadSaved}
      lead={
        <>
          Your changes are not saved yet and stay on this page. {differs} {theirs}{" "}
          {equal
            ? "Both versions are equal now."
            : "Your version keeps everything that only the other person changed in the fields."}
        </>
      }
    >
      {fields.length > 0 && <Fields fields={fields} />}
      {places.length > 0 && (
        <ol className="stack g-3">
          {places.slice(0, MOST_PLACES).map((one) => (
            <Place key={`${one.change.savedFrom} ${one.change.ownFrom}`} place={one} busy={busy} takeSaved={() => takeSaved(one)} />
          ))}
        </ol>
      )}
      {places.length > MOST_PLACES && <p className="small">There are {places.length - MOST_PLACES} further places.</p>}
    </ConflictFrame>
  );
}
