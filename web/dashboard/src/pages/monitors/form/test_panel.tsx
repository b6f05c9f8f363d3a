import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { take } from "../../../api/services";
import { ActError } from "../../../parts/feedback";
import { detailsByField } from "../../../parts/field";
import { State } from "../../../parts/icon";
import { Moment } from "../../../parts/time";
import { useProject } from "../../project_context";
import type { MonitorResult, MonitorType } from "../monitor_queries";
import { findingOf, resultState } from "../monitor_states";
import { ResultFacts } from "../result_facts";
import { milliseconds } from "../series";
import { comparisonWord, sourceWord } from "./lists";
import { type JsonObject, isObject, valueAt } from "./merge_patch";
import { expectedText, takesValue } from "./values";

export interface TestedBody {
  type: MonitorType;
  body: JsonObject;
}

// The service demands a name, so a test has a fixed one: a target can be tried before the monitor has a name.
const UNNAMED = { name: "Test", description: undefined, alertConfig: null, dependsOn: undefined };

/** Checks the body of the form once. Nothing is stored. */
export function useTest() {
  const { api } = useProject();
  return useMutation({
    mutationFn: async ({ type, body }: TestedBody): Promise<MonitorResult> =>
      take(api.POST("/api/monitors/test", { body: { ...body, ...UNNAMED, type } as never })),
    gcTime: 0,
  });
}

/** The assertion that has failed, as the form has it. */
function FailedAssertion({ result, body }: { result: MonitorResult; body: JsonObject }) {
  const failed = result.details.failedAssertion;
  if (!failed) return null;
  const assertion = valueAt(body, "/config/assertions");
  const one = Array.isArray(assertion) ? assertion[failed.index] : undefined;
  if (!isObject(one)) return null;
  const property = typeof one.property === "string" ? one.property : undefined;
  const comparison = String(one.comparison);
  return (
    <p>
      <span className="medium">Assertion {failed.index + 1} failed.</span>{" "}
      {property ? <code className="wrap-any">{property}</code> : sourceWord(String(one.source))} is{" "}
      <code className="wrap-any">{failed.actual}</code>, expected: {comparisonWord(comparison)}{" "}
      {takesValue(comparison) && <code className="wrap-any">{expectedText(one.expected)}</code>}.
    </p>
  );
}

function Outcome({ result, body }: { result: MonitorResult; body: JsonObject }) {
  const finding = findingOf(result);
  return (
    <section className="panel" aria-labelledby="test-head">
      <div className="panel-head">
        <h2 id="test-head">Test at <Moment value={result.checkedAt} /></h2>
        <State state={resultState(result)} />
      </div>
      <div className="panel-body stack g-4">
        <FailedAssertion result={result} body={body} />
        {finding.code && <p className="wrap-any"><span dir="auto">{finding.text}</span> (<code>{finding.code}</code>)</p>}
        <ResultFacts result={{ ...result, details: { ...result.details, failedAssertion: undefined } }}>
          <div><dt>Attempts</dt><dd>{result.attempts}</dd></div>
          <div><dt>Response</dt><dd>{milliseconds(result.responseTimeMs)}</dd></div>
        </ResultFacts>
      </div>
    </section>
  );
}

interface PanelProps {
  test: ReturnType<typeof useTest>;
  masked: readonly string[];
}

const wordOf = (pointer: string) => pointer.replace("/config/headers/", "header ").replace("/config/auth/", "");

/** The result of the test next to the form. */
export function TestPanel({ test, masked }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  const { data, error } = test;
  // On narrow screens the panel is below the buttons. It stays in view next to the form on others.
  useEffect(() => {
    if (data || (error && detailsByField(error).size === 0)) panel.current?.scrollIntoView({ block: "nearest" });
  }, [data, error]);
  return (
    <aside className="stack g-4 aside-stays" aria-label="Result of the test" aria-live="polite" ref={panel}>
      {test.isPending && <p className="muted" role="status">The test runs. It takes as long as a check with its retries.</p>}
      {test.error && detailsByField(test.error).size === 0 && <ActError title="The test was not made" error={test.error} />}
      {test.data && !test.isPending && <Outcome result={test.data} body={test.variables.body} />}
      {masked.length > 0 && (
        <p className="small muted">
          A test does not see stored secrets. Replace {masked.map(wordOf).join(", ")} to test here, or save the monitor and check it.
        </p>
      )}
      <p className="small faint">
        A test is one check with its retries. It stores nothing, and you can save the monitor after a failed test.
      </p>
    </aside>
  );
}
