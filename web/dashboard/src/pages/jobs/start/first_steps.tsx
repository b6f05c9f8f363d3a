import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { BACKGROUND, take } from "../../../api/services";
import { usePolled } from "../../../api/use_polled";
import { svcLine } from "../../../parts/api_lines";
import { CodeBlock } from "../../../parts/copy";
import { Icon, Sign, State } from "../../../parts/icon";
import { hasRole, runState } from "../../../parts/states";
import { warn } from "../../../parts/toasts";
import { useProject } from "../../project_context";
import { type Job, list, readRuns } from "../../project_queries";
import { type Runner, runnerState } from "../../runners/runner_place";
import { TOOLS } from "../edit/test_choices";
import { TriggerButton } from "../trigger_button";
import { EMPTY_POLL, type FirstState, type FirstStep, firstState } from "./first_steps_state";

const NAME = "hello";
const SCRIPT = 'echo "Hello from $(uname)"';

/** What a new project has. The newest run comes with its job. */
function useFacts(job: Job | undefined) {
  const { api, pages, key, project } = useProject();
  const client = useQueryClient();
  const testsKey = [key, "first-tests"];
  const known = client.getQueryData<{ id: string }[]>(testsKey)?.length;
  const tests = usePolled({
    key: testsKey, every: job || known ? false : EMPTY_POLL,
    read: async (headers, signal) => (await take(api.GET("/api/tests", { params: { query: { limit: 1 } }, headers, signal }))).data,
  });
  const newest = job?.lastRun ?? undefined;
  const passed = useQuery({
    queryKey: [key, "first-passed", newest?.id], enabled: newest !== undefined && newest.status !== "passed",
    queryFn: async ({ signal }) => (await readRuns(api, { status: "passed" }, BACKGROUND, signal, 1)).rows.length > 0,
  });
  const noRunner = client.getQueryData<number>([key, "first-runners"]) === 0;
  const runners = usePolled({
    key: [key, "first-runners"], every: noRunner ? EMPTY_POLL : false,
    read: async (headers, signal) => {
      if (!hasRole(project.role, "project_admin")) return null;
      const page = await list<Runner>(pages.GET("/dashboard/v1/project/runners", { params: { query: { limit: 100 } }, headers, signal }));
      return page.rows.filter((one) => runnerState(one, new Date()).word !== "Silent").length;
    },
  });
  const loaded = tests.data && (newest === undefined || newest.status === "passed" || passed.data !== undefined);
  if (!loaded) return undefined;
  const hasPassed = newest?.status === "passed" || passed.data === true;
  return { test: tests.data[0], newest, hasPassed, runners: runners.data ?? undefined };
}

interface StepProps {
  number: number;
  step: FirstStep;
  state: FirstState;
  title: string;
  children: ReactNode;
}

function Step({ number, step, state, title, children }: StepProps) {
  const done = state.done[step];
  const current = state.current === step;
  const head = useRef<HTMLHeadingElement>(null);
  const wasCurrent = useRef(current);
  useEffect(() => {
    // The button of the step before is gone with its focus, and its user goes on here.
    if (current && !wasCurrent.current && document.activeElement?.closest("#main, body") === document.activeElement) head.current?.focus();
    wasCurrent.current = current;
  }, [current]);
  return (
    <li className={done ? "step-done" : undefined} aria-current={current ? "step" : undefined}>
      <span className="step-n">{done ? <Sign name="passed" look="s-passed" label="Done" /> : number}</span>
      <div className="stack g-4">
        <h2 ref={head} tabIndex={-1}>{title}</h2>
        {children}
      </div>
    </li>
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <p className="row row-tight g-2 small muted" role="status"><Sign name="running" look="s-running" />{children}</p>
  );
}

/** The run that step three waits for. */
function FirstRun({ run, needsRunner }: { run: Job["lastRun"] | undefined; needsRunner: boolean }) {
  const { path } = useProject();
  return (
    <>
      {needsRunner && (
        <div className="banner s-warning">
          <Sign name="degraded" look="s-warning" />
          <div className="stack g-1">
            <p className="banner-title">No runner is connected</p>
            <p className="small">A run waits until a runner takes it. Start one on a machine of your choice.</p>
          </div>
          <div className="actions"><Link className="btn btn-s" to={path("runners", "new")}>Create runner token</Link></div>
        </div>
      )}
      {run && (
        <p className="row row-tight g-3">
          <State state={runState(run.status)} />
          <Link to={path("runs", run.id)}>Open the newest run</Link>
        </p>
      )}
    </>
  );
}

interface StepsProps {
  job: Job | undefined;
  /** Learns whether the steps are shown: then their act is the one of the page. */
  onShown?: (shown: boolean) => void;
}

/** Three steps to the first run that passes, by commands or here. They go away once a run has passed. */
export default function FirstSteps({ job, onShown }: StepsProps) {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const facts = useFacts(job);
  const changed = () => Promise.all(["first-tests", "jobs"].map((name) => client.invalidateQueries({ queryKey: [key, name] })));
  const createTest = useMutation({
    mutationFn: () => take(api.POST("/api/tests", { body: { title: NAME, type: "command", script: `${SCRIPT}\n` } })),
    onSuccess: changed, onError: (error) => warn(`The test was not created. ${error.message}`),
  });
  const createJob = useMutation({
    mutationFn: (test: { id: string; type: keyof typeof TOOLS }) => take(api.POST("/api/jobs", {
      body: { name: NAME, jobType: TOOLS[test.type] as Job["jobType"], tests: [{ id: test.id }] },
    })),
    onSuccess: changed, onError: (error) => warn(`The job was not created. ${error.message}`),
  });
  const state = facts && firstState({
    hasTest: Boolean(facts.test), hasJob: Boolean(job), newest: facts.newest?.status, hasPassed: facts.hasPassed, runners: facts.runners,
  });
  const shown = state && state.current !== undefined;
  useEffect(() => {
    if (shown !== undefined) onShown?.(shown);
  }, [shown, onShown]);
  if (!facts || !state?.current) return null;
  const { test, newest } = facts;
  const jobLine = test && svcLine(["job", "create", NAME, "--type", TOOLS[test.type], "--test", test.id]);
  return (
    <section className="stack g-6 page-narrow" aria-label="Three steps to the first run">
      <p className="muted">
        {project.name} has no run that passed yet. Three steps lead to the first one: here, or by the client after{" "}
        <code>svc login --url {location.origin}</code> with a <Link to={path("tokens", "new")}>token of this project</Link>.
      </p>
      <ol className="steps">
        <Step number={1} step="test" state={state} title="Make a test">
          {!state.done.test && (
            <>
              <p className="muted">A test is a script. This one prints a greeting; you can replace it later.</p>
              <CodeBlock
                name="Make a test"
                text={`echo '${SCRIPT}' > ${NAME}.sh\n${svcLine(["test", "create", NAME, "--type", "command", "--script", `${NAME}.sh`])}`}
              />
              <div className="row">
                <button
                  className="btn btn-primary" type="button" aria-disabled={createTest.isPending}
                  onClick={() => !createTest.isPending && createTest.mutate()}
                >
                  Make it here
                </button>
              </div>
              <Waiting>Waiting for the first test of {project.name}</Waiting>
            </>
          )}
        </Step>
        <Step number={2} step="job" state={state} title="Make a job">
          {!state.done.job && <p className="muted">A job runs one or more tests. Pipelines, schedules and people trigger it.</p>}
          {state.current === "job" && test && jobLine && (
            <>
              <CodeBlock name="Make a job" text={jobLine} />
              <div className="row g-2">
                <button
                  className="btn btn-primary" type="button" aria-disabled={createJob.isPending}
                  onClick={() => !createJob.isPending && createJob.mutate(test)}
                >
                  Make it here
                </button>
                <Link className="btn" to={path("jobs", "new")}>Choose its settings</Link>
              </div>
              <Waiting>Waiting for the first job of {project.name}</Waiting>
            </>
          )}
        </Step>
        <Step number={3} step="run" state={state} title="Trigger the job">
          {job
            ? (
              <>
                {job.testCount === 0 && (
                  <p className="muted">
                    The job has no tests, so it cannot be triggered. <Link to={path("jobs", job.id, "edit")}>Add one to {job.name}</Link>.
                  </p>
                )}
                <CodeBlock name="Trigger the job" text={svcLine(["job", "trigger", job.id, "--follow"])} />
                <div className="row g-2">
                  <TriggerButton job={job} />
                  <Link className="btn" to={path("jobs", job.id, "keys", "new")}><Icon name="key" />Create a key for a pipeline</Link>
                </div>
              </>
            )
            : (
              <p className="muted">
                The page of the run shows its output live. A pipeline uses a trigger key: it can start only this job.
              </p>
            )}
          <FirstRun run={newest} needsRunner={state.needsRunner} />
        </Step>
      </ol>
    </section>
  );
}
