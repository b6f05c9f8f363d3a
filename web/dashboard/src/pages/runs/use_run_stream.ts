import { useEffect, useRef, useState } from "react";
import { RunStream, type RunEvent, type StreamState } from "../../api/run_stream";
import { BACKGROUND, lostStores, take, transport, visibility } from "../../api/services";
import { OutputBuffer } from "../../output/output_buffer";
import { isOver } from "../../parts/states";
import { useProject } from "../project_context";
import { type TestProgress, readProgress } from "./test_progress";

// The page around the lines is drawn at most this often, because a quick run sends many pieces.
const REDRAW = 50;
const HIDDEN_POLL = 60_000;
const HIDDEN_POLLS_FOR = 24 * 3_600_000;

export interface RunOutput {
  buffer: OutputBuffer;
  /** Changes with each piece of output. */
  version: number;
  state: StreamState;
  progress: TestProgress[];
}

interface Options {
  runId: string;
  testCount: number;
  /** The status has changed, or may have while nobody listened. */
  onStatus: (status: string | undefined) => void;
}

const noteOf = (event: RunEvent): string | undefined => {
  if (event.type === "gap") return "Lines are missing here, because the service lost them.";
  return event.type === "dropped" ? "The connection was too slow. The page reads on behind the last line." : undefined;
};

/** Follows a run: its output, the progress of its tests and its status. A hidden tab asks for the status once a minute. */
export function useRunStream({ runId, testCount, onStatus }: Options): RunOutput {
  const { project, api } = useProject();
  const [output, setOutput] = useState<RunOutput>(() => start(testCount));
  const listener = useRef(onStatus);
  listener.current = onStatus;
  useEffect(() => {
    const first = start(testCount);
    setOutput(first);
    const { buffer } = first;
    let progress = first.progress;
    let attempt = 0;
    let over = false;
    let redraw: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      redraw = undefined;
      setOutput((old) => ({ ...old, version: old.version + 1, progress }));
    };
    const take_ = (events: RunEvent[]) => {
      let status: string | undefined;
      for (const event of events) {
        if (event.type === "status" || event.type === "complete") status = event.status;
        else if (event.type === "console") {
          if (attempt && event.attempt > attempt) {
            buffer.append("note", `Attempt ${event.attempt}: the run started again, because its runner was lost.`);
            progress = start(testCount).progress;
          }
          attempt = event.attempt || attempt;
          buffer.append(event.stream, event.line);
          if (event.stream === "stderr") progress = readProgress(progress, buffer.last, event.line, Date.now());
        } else buffer.append("note", noteOf(event) ?? "");
      }
      over ||= isOver(status ?? "running");
      redraw ??= setTimeout(draw, REDRAW);
      if (status) listener.current(status);
    };
    const stream = new RunStream({
      open: (lastEventId, signal) =>
        transport.open(new Request(`/api/runs/${runId}/stream`, {
          signal,
          headers: {
            "Svc-Project": project.id, Accept: "text/event-stream", ...BACKGROUND, ...(lastEventId ? { "Last-Event-ID": lastEventId } : {}),
          },
        })),
      onEvents: take_,
      onState: (state) => {
        setOutput((old) => ({ ...old, version: old.version + 1, progress, state }));
        if (state.name !== "lost") return;
        listener.current(undefined);
        lostStores.suspect();
      },
    });
    if (document.visibilityState === "visible") stream.start();
    let hiddenSince = 0;
    const ask = async () => {
      if (over || Date.now() - hiddenSince > HIDDEN_POLLS_FOR) return clearInterval(timer);
      const report = await take(api.GET("/api/runs/{id}/status", { params: { path: { id: runId } }, headers: BACKGROUND }))
        .catch(() => undefined);
      if (!report) return;
      over ||= isOver(report.status);
      if (over) clearInterval(timer);
      listener.current(report.status);
    };
    let timer: ReturnType<typeof setInterval> | undefined;
    const stop = visibility.listen((visible) => {
      clearInterval(timer);
      if (visible) return stream.start();
      stream.pause();
      hiddenSince = Date.now();
      timer = setInterval(() => void ask(), HIDDEN_POLL);
    });
    return () => {
      clearInterval(timer);
      clearTimeout(redraw);
      stop();
      stream.close();
    };
  }, [runId, testCount, project.id, api]);
  return output;
}

function start(testCount: number): RunOutput {
  return {
    buffer: new OutputBuffer(), version: 0, state: { name: "connecting" },
    progress: Array.from({ length: testCount }, () => ({ status: "queued" })),
  };
}
