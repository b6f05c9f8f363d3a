import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { looksLikeFailure } from "../../output/failures";
import { linesOfHash } from "../../output/line_window";
import { OutputView, type ViewState } from "../../output/output_view";
import { LineSearch, stepMatch } from "../../output/search";
import { boxViewport } from "../../output/viewport";
import { Icon, Sign } from "../../parts/icon";
import { toast } from "../../parts/toasts";
import { numberText } from "../../time/format";
import { isTaken, keysAreOn } from "../shell/keys";
import type { RunOutput } from "./use_run_stream";

const linesText = (count: number): string => (count === 1 ? "1 line" : `${numberText(count)} lines`);

interface OutputProps {
  output: RunOutput;
  /** The run was over when the page opened, so the view does not follow. */
  wasOver: boolean;
  failed: boolean;
  save: () => void;
  /** The lines scroll in a box of their own instead of with the page. */
  boxed?: boolean;
  /** The state of the run next to the heading, and facts below the lines. */
  state?: ReactNode;
  foot?: ReactNode;
}

const START: ViewState = { following: false, unseen: 0, selected: undefined };

const NOTES: Partial<Record<RunOutput["state"]["name"], string>> = {
  lost: "Connecting again; the output continues behind the last line.",
  polling: "Not live: too many streams are open in this session.",
  paused: "Paused",
};

function StreamNote({ output, wasOver }: { output: RunOutput; wasOver: boolean }) {
  const lines = linesText(output.buffer.last);
  const { state } = output;
  if (state.name === "live" && !wasOver) return <span className="as-of"><span className="live">Live</span> {lines}</span>;
  const note = NOTES[state.name];
  if (note) return <span className="as-of"><span className="live" data-off>{note}</span> {lines}</span>;
  return <span className="as-of">{state.name === "connecting" ? "Connecting" : lines}</span>;
}

export function RunOutputPanel({ output, wasOver, failed, save, boxed = false, state: runState, foot }: OutputProps) {
  const { buffer, version } = output;
  const list = useRef<HTMLOListElement>(null);
  const view = useRef<OutputView>(undefined);
  const [state, setState] = useState(START);
  const [wrap, setWrap] = useState(true);
  const [words, setWords] = useState("");
  const [hit, setHit] = useState<number>();
  const wanted = useDeferredValue(words);
  useEffect(() => {
    const made = new OutputView(list.current!, buffer, setState, boxed ? boxViewport(list.current!) : undefined);
    view.current = made;
    if (!wasOver) made.follow(true);
    return () => made.destroy();
    // A view belongs to one buffer; whether the run was over is known before the first line.
  }, [buffer, boxed]);
  useEffect(() => view.current?.appended(), [version]);
  useEffect(() => view.current?.search(wanted), [wanted]);
  useEffect(() => view.current?.reflowed(), [wrap]);
  const search = useMemo(() => new LineSearch(buffer), [buffer]);
  const matches = useMemo(() => search.find(wanted), [search, wanted, version]);
  const failures = useCallback(
    (step: 1 | -1) => {
      const found: number[] = [];
      for (let at = buffer.find(looksLikeFailure); at !== undefined; at = buffer.find(looksLikeFailure, at + 1)) found.push(at);
      const next = stepMatch(found, state.selected?.[0], step);
      if (next !== undefined) view.current?.goTo(next);
    },
    [buffer, state.selected],
  );
  const step = (direction: 1 | -1) => {
    const next = stepMatch(matches, hit, direction);
    setHit(next);
    if (next !== undefined) view.current?.goTo(next);
  };
  // The address names lines; a failed run without such an address opens at its first failure.
  const placed = useRef(false);
  useEffect(() => {
    const go = () => {
      const lines = linesOfHash(location.hash);
      if (lines && lines[0] <= buffer.last) view.current?.goTo(...lines);
      return Boolean(lines && lines[0] <= buffer.last);
    };
    if (!placed.current && buffer.length > 0) {
      if (linesOfHash(location.hash)) placed.current = go();
      else if (wasOver && failed && output.state.name === "complete") {
        const first = buffer.find(looksLikeFailure);
        placed.current = true;
        if (first !== undefined) view.current?.goTo(first);
      }
    }
    addEventListener("hashchange", go);
    return () => removeEventListener("hashchange", go);
  }, [buffer, version, wasOver, failed, output.state.name]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keysAreOn() || isTaken(event.target)) return;
      if (event.key === "e") failures(1);
      else if (event.key === "E") failures(-1);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [failures]);
  const { selected } = state;
  const copyLink = async () => {
    if (!selected) return;
    const hash = selected[0] === selected[1] ? `#L${selected[0]}` : `#L${selected[0]}-${selected[1]}`;
    history.replaceState(history.state, "", hash);
    await navigator.clipboard.writeText(location.href).then(
      () => toast({ text: "The link to the lines was copied." }),
      () => toast({ text: "The address bar has the link to the lines.", sign: "info", look: "s-info" }),
    );
  };
  const empty = buffer.length === 0;
  return (
    <section className="section" aria-labelledby="output-head">
      <div className="section-head"><h2 id="output-head">Output</h2>{runState}<StreamNote output={output} wasOver={wasOver} /></div>
      <div className={boxed ? "output output-boxed" : "output"}>
        <div className="output-bar">
          <span className="search-box">
            <label className="vh" htmlFor="output-search">Search the output</label>
            <Icon name="search" />
            <input
              className="input" id="output-search" type="search" placeholder="Search all lines" value={words}
              onChange={(event) => (setWords(event.target.value), setHit(undefined))}
              onKeyDown={(event) => event.key === "Enter" && (event.preventDefault(), step(event.shiftKey ? -1 : 1))}
            />
          </span>
          {wanted && (
            <span className="small muted" role="status">
              {matches.length === 0 ? "No line" : `${hit ? `${matches.indexOf(hit) + 1} of ` : ""}${linesText(matches.length)}`}
            </span>
          )}
          {failed && !empty && (
            <button className="btn btn-s" type="button" onClick={() => failures(1)}>
              <Sign name="failed" look="s-failed" />Next failure <kbd>e</kbd>
            </button>
          )}
          {selected && (
            <button className="btn btn-s" type="button" onClick={() => void copyLink()}><Icon name="copy" small />Copy link</button>
          )}
          <span className="push">
            <button className="btn btn-s btn-quiet" type="button" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
              <Icon name="wrap" small />Wrap
            </button>
            {!empty && (
              <button className="btn btn-s btn-quiet" type="button" onClick={save}>
                <Icon name="download" small />Download
              </button>
            )}
          </span>
        </div>
        {buffer.dropped > 0 && (
          <p className="output-foot">
            This page does not hold the oldest {numberText(buffer.dropped)} lines. Download has what the service stored.
          </p>
        )}
        <ol className="output-lines" tabIndex={0} aria-label="Output" data-wrap={wrap ? undefined : "off"} ref={list} />
        {empty && (
          <p className="output-foot">
            {output.state.name === "complete" ? "The run printed nothing." : "No output yet. Lines appear here as the run prints them."}
          </p>
        )}
        {!empty && !state.following && state.unseen > 0 && !wasOver && (
          <div className="output-foot">
            <span>New lines do not move the view.</span>
            <button className="btn btn-s push" type="button" onClick={() => view.current?.follow(true)}>
              <Icon name="arrow-down" small />{numberText(state.unseen)} new lines: follow the output
            </button>
          </div>
        )}
        {foot && <div className="output-foot">{foot}</div>}
      </div>
    </section>
  );
}
