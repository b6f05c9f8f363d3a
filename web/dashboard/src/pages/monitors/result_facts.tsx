import type { ReactNode } from "react";
import { Moment } from "../../parts/time";
import { numberText } from "../../time/format";
import type { MonitorResult } from "./monitor_queries";
import { WIDTH, phasesOf } from "./phases";
import { milliseconds } from "./series";

const SHADES = [undefined, ".7", undefined, undefined, undefined];

/** The time of each phase, as a bar and as a table. */
export function Timings({ timings, caption }: { timings: MonitorResult["details"]["timings"]; caption: string }) {
  const phases = phasesOf(timings);
  if (!phases.length) return null;
  const most = Math.max(...phases.map((one) => one.milliseconds));
  return (
    <div className="stack g-2">
      <svg className="meter" viewBox={`0 0 ${WIDTH} 6`} preserveAspectRatio="none" aria-hidden="true">
        {phases.map((one, at) => (
          <rect
            key={one.word} className={one.milliseconds === most ? "f-ink" : "f-mark"} x={one.x} width={one.width} height="6"
            opacity={one.milliseconds === most ? undefined : SHADES[at]}
          />
        ))}
      </svg>
      <table className="table table-plain small">
        <caption className="vh">{caption}</caption>
        <thead className="vh"><tr><th scope="col">Phase</th><th scope="col">Time</th></tr></thead>
        <tbody>
          {phases.map((one) => (
            <tr key={one.word}>
              <th scope="row">{one.word}</th>
              <td className={one.milliseconds === most ? "num medium" : "num"}>{milliseconds(one.milliseconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** True if a result has more than its row shows. */
export const hasFacts = ({ details }: MonitorResult): boolean =>
  Object.keys(details).some((name) => !["error", "statusCode", "proof"].includes(name));

/** All that a check has found; children are rows before it. */
export function ResultFacts({ result: { details, checkedAt }, children }: { result: MonitorResult; children?: ReactNode }) {
  const { ping, dns, failedAssertion: failed, sslCertificate: certificate } = details;
  return (
    <div className="stack g-3">
      {failed && (
        <p className="small">
          <span className="medium">Assertion {failed.index + 1} failed.</span>{" "}
          The value was <code className="wrap-any">{failed.actual}</code>.
        </p>
      )}
      <dl className="facts-rows">
        {children}
        {details.statusCode !== undefined && <div><dt>Status</dt><dd>{details.statusCode}</dd></div>}
        {details.ipAddress && (
          <div>
            <dt>Address</dt>
            <dd><code>{details.ipAddress}</code>{details.httpVersion && `, HTTP/${details.httpVersion}`}</dd>
          </div>
        )}
        {Boolean(details.redirects) && <div><dt>Redirects</dt><dd>{details.redirects}</dd></div>}
        {details.bodyBytes !== undefined && (
          <div><dt>Body</dt><dd>{numberText(details.bodyBytes)} bytes{details.truncated && ", cut at the limit"}</dd></div>
        )}
        {ping && <div><dt>Replies</dt><dd>{ping.received} of {ping.sent}, {ping.lossPercent} % lost</dd></div>}
        {ping?.minMs !== undefined && <div><dt>Range</dt><dd>{milliseconds(ping.minMs)} to {milliseconds(ping.maxMs)}</dd></div>}
        {dns && <div><dt>Answer</dt><dd>{dns.rcode}</dd></div>}
        {dns && dns.answers.length > 0 && (
          <div>
            <dt>Records</dt>
            <dd><ul>{dns.answers.map((one) => <li key={one}><code className="wrap-any">{one}</code></li>)}</ul></dd>
          </div>
        )}
        {certificate && <div><dt>Certificate</dt><dd className="wrap-any">{certificate.subject}</dd></div>}
        {certificate && <div><dt>Valid to</dt><dd><Moment value={certificate.validTo} form="date" /></dd></div>}
        {details.proof && <div><dt>Evidence</dt><dd><code>{details.proof}</code></dd></div>}
      </dl>
      <Timings timings={details.timings} caption={`Timings of the check at ${checkedAt}`} />
      {details.responseHeaders && details.responseHeaders.length > 0 && (
        <div className="code">
          <div className="code-head"><span>Headers of the answer</span></div>
          <pre tabIndex={0} role="region" aria-label="headers of the answer">
            <code>{details.responseHeaders.map((one) => `${one.name}: ${one.value}`).join("\n")}</code>
          </pre>
        </div>
      )}
      {details.responseBodySnippet && (
        <div className="code">
          <div className="code-head"><span>Start of the body</span></div>
          <pre tabIndex={0} role="region" aria-label="start of the body"><code>{details.responseBodySnippet}</code></pre>
        </div>
      )}
    </div>
  );
}
