import { Link } from "@tanstack/react-router";
import { curlLine, svcRequest } from "../../parts/api_lines";
import { TokenNote } from "../../parts/as_api";
import { CodeBlock, CopyButton } from "../../parts/copy";
import { Crumbs, PageHead } from "../../parts/page";
import { useTitle } from "../../parts/use_title";
import type { Answer, Contract, Operation } from "./contract";
import { exampleOf, exampleRequest } from "./examples";
import { rulesOf, typeText } from "./schema_rows";
import { FieldTable, Prose, SchemaView, Words } from "./schema_view";

interface ViewProps {
  contract: Contract;
  operation: Operation;
}

const CREDENTIALS: Record<string, string> = {
  cli: "CLI token", test: "CLI token for tests", trigger: "trigger key of the job", session: "session of a browser",
};

/** Returns the credentials of an operation as words. */
const credentialText = (kinds: readonly string[]): string =>
  kinds.length === 0 ? "none" : kinds.map((kind) => CREDENTIALS[kind] ?? kind).join(", ");

const jsonText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function Facts({ operation }: { operation: Operation }) {
  return (
    <dl className="facts">
      <div><dt>Operation</dt><dd><code>{operation.id}</code></dd></div>
      <div><dt>Credential</dt><dd>{credentialText(operation.credentials)}</dd></div>
      {operation.permission && <div><dt>Permission</dt><dd><code>{operation.permission}</code></dd></div>}
      <div><dt>Rate class</dt><dd><code>{operation.rateClass}</code></dd></div>
    </dl>
  );
}

function Examples({ contract, operation }: ViewProps) {
  const request = exampleRequest(contract, operation);
  return (
    <section className="section" aria-labelledby="example-head">
      <h2 id="example-head">Example</h2>
      {!request.anonymous && <TokenNote />}
      <CodeBlock name="curl" text={curlLine(location.origin, request)} />
      <CodeBlock name="svc" text={svcRequest(request)} />
    </section>
  );
}

function Parameters({ contract, operation }: ViewProps) {
  if (operation.parameters.length === 0) return null;
  const rows = operation.parameters.map(({ name, place, required, description, schema }) => ({
    name, place, required, description: description || contract.resolve(schema).description || "", type: typeText(contract, schema),
    rules: rulesOf(contract.resolve(schema)),
  }));
  return (
    <section className="section" aria-labelledby="parameters-head">
      <h2 id="parameters-head">Parameters</h2>
      <FieldTable caption={`Parameters of ${operation.summary}`} head="Parameter" rows={rows} />
    </section>
  );
}

function Body({ contract, operation }: ViewProps) {
  const { body } = operation;
  if (!body) return null;
  const example = exampleOf(contract, body.schema);
  return (
    <section className="section" aria-labelledby="body-head">
      <h2 id="body-head">Body</h2>
      <p className="muted"><code>{body.media}</code>, {body.required ? "required" : "optional"}</p>
      <Prose text={contract.resolve(body.schema).description ?? ""} />
      <SchemaView contract={contract} schema={body.schema} caption="Members of the body" />
      {example !== undefined && <CodeBlock name="example of the body" text={jsonText(example)} />}
    </section>
  );
}

function Success({ contract, answer }: { contract: Contract; answer: Answer }) {
  const example = exampleOf(contract, answer.schema);
  return (
    <div className="stack g-3">
      <h3>{answer.status}: <Words text={answer.description} /></h3>
      {answer.media.length > 0 && <p className="muted"><code>{answer.media.join(", ")}</code></p>}
      {answer.schema && <SchemaView contract={contract} schema={answer.schema} caption={`Members of the answer ${answer.status}`} />}
      {example !== undefined && <CodeBlock name={`example of the answer ${answer.status}`} text={jsonText(example)} />}
    </div>
  );
}

function Errors({ answers }: { answers: readonly Answer[] }) {
  const rows = answers.flatMap((answer) => answer.errors.map((error) => ({ ...error, status: answer.status })));
  if (rows.length === 0) return null;
  return (
    <section className="section" aria-labelledby="errors-head">
      <h2 id="errors-head">Errors</h2>
      <div className="panel">
        <div className="table-box">
          <table className="table table-cards table-fields" role="table">
            <caption className="vh">Errors by status and code</caption>
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">Code</th>
                <th scope="col" role="columnheader">Status</th>
                <th scope="col" role="columnheader">Sentence</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {rows.map((one) => (
                <tr role="row" key={`${one.status} ${one.code}`}>
                  <th scope="row" role="rowheader"><code>{one.code}</code></th>
                  <td data-label="Status" role="cell">{one.status}</td>
                  <td className="cell-wide" data-label="Sentence" role="cell">{one.sentence}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  );
}

/** One operation: its example first, because most readers copy it, then everything that the contract says about it. */
export function OperationView({ contract, operation }: ViewProps) {
  useTitle(operation.summary, "API reference");
  const successes = operation.answers.filter((one) => Number(one.status) < 400);
  const address = `${operation.method} ${operation.path}`;
  return (
    <div className="page page-reference">
      <Crumbs crumbs={[{ word: "API reference", to: "/_api" }, { word: operation.summary }]} />
      <PageHead title={operation.summary} />
      <div className="row g-2">
        <code className="medium wrap-any">{address}</code>
        <CopyButton text={operation.path} label="Copy path" />
      </div>
      {operation.description && <div className="stack g-2 page-lead"><Prose text={operation.description} /></div>}
      <Facts operation={operation} />
      <Examples contract={contract} operation={operation} />
      <Parameters contract={contract} operation={operation} />
      <Body contract={contract} operation={operation} />
      {successes.length > 0 && (
        <section className="section" aria-labelledby="answers-head">
          <h2 id="answers-head">Answers</h2>
          {successes.map((one) => <Success contract={contract} answer={one} key={one.status} />)}
        </section>
      )}
      <Errors answers={operation.answers} />
      <p><Link className="btn" to="/_api">Show all operations</Link></p>
    </div>
  );
}
