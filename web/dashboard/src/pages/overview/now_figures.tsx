import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Sign } from "../../parts/icon";
import type { SignName } from "../../parts/sprite";
import { failingJobs } from "../../parts/states";
import { Elapsed, Moment } from "../../parts/time";
import { numberText } from "../../time/format";
import type { ProjectOutage } from "../outages/open_first";
import { useProject } from "../project_context";
import { MOST_JOBS } from "../shell/troubles";
import type { Overview } from "./overview_query";

interface FigureProps {
  word: ReactNode;
  sign: SignName;
  /** The class that holds the colours; normal is grey. */
  look: string;
  children: ReactNode;
  context: ReactNode;
}

function Figure({ word, sign, look, children, context }: FigureProps) {
  return (
    <div>
      <dt><Sign name={sign} look={look} />{word}</dt>
      <dd className="figure">{children}</dd>
      <dd>{context}</dd>
    </div>
  );
}

/** The numbers of this moment: outages, failing jobs, and the queue. */
export function NowFigures({ overview, newest }: { overview: Overview; newest: ProjectOutage | undefined }) {
  const { path } = useProject();
  const { jobs, openOutages, queue } = overview;
  const failing = failingJobs(jobs).length;
  const trouble = (count: number, look: string): Pick<FigureProps, "sign" | "look"> =>
    count ? { sign: "failed", look } : { sign: "passed", look: "s-active" };
  const link = (page: string, search: Record<string, string>, word: string) =>
    <Link className="quiet-link" to={path(page)} search={search}>{word}</Link>;
  const since = newest && <>{openOutages > 1 ? "the newest since " : "since "}<Moment value={newest.startedAt} form="minutes" /></>;
  return (
    <section className="section" aria-labelledby="now-head">
      <h2 className="vh" id="now-head">Now</h2>
      <dl className="figures">
        <Figure
          {...trouble(openOutages, "s-down")} word={link("outages", { open: "true" }, "Open outages")}
          context={openOutages ? since : "none"}
        >
          {numberText(openOutages)}
        </Figure>
        <Figure {...trouble(failing, "s-failed")} word="Failing jobs" context="at their last run">
          {numberText(failing)}{" "}
          <span className="unit">of {numberText(jobs.length)}{jobs.length === MOST_JOBS && " or more"}</span>
        </Figure>
        <Figure
          sign={queue.running ? "running" : "queued"} look={queue.running ? "s-running" : "s-active"}
          word={link("runs", { status: "running" }, "Running")}
          context={queue.running === 1 ? "run" : "runs"}
        >
          {numberText(queue.running)}
        </Figure>
        <Figure
          sign="queued" look={queue.queued ? "s-queued" : "s-active"} word={link("runs", { status: "queued" }, "Queued")}
          context={queue.oldestQueuedAt ? <>the oldest for <Elapsed since={queue.oldestQueuedAt} /></> : "nothing waits"}
        >
          {numberText(queue.queued)}
        </Figure>
      </dl>
    </section>
  );
}
