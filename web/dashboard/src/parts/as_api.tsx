import { CodeBlock } from "./copy";
import { Icon } from "./icon";
import { type ApiRequest, curlLine, secretVariables, svcRequest } from "./api_lines";

export interface ApiView {
  /** What the lines do, such as "List these runs"; a page with one operation needs none. */
  word?: string;
  request: ApiRequest;
  /** The line for the client; without one it sends the same request by `svc api`. */
  svc?: string;
}

/** What both lines of an example need. */
export function TokenNote() {
  return (
    <p className="small muted">
      Both lines read a token from <code>SERVICE_TOKEN</code>. The client needs <code>SERVICE_URL={location.origin}</code>, or takes
      both from <code>svc login</code>.
    </p>
  );
}

/** The operations of the public API behind a page, with its ids and filters. */
export function AsApi({ views }: { views: readonly ApiView[] }) {
  const variables = [...new Set(views.flatMap((one) => [...secretVariables(one.request.secrets ?? []).values()]))];
  return (
    <details className="details">
      <summary><Icon name="right" small />As API</summary>
      <div className="stack g-3 as-api">
        <TokenNote />
        {variables.length > 0 && (
          <p className="small muted">
            No line holds a secret that you typed. Set {variables.map((one) => <code key={one}>{one} </code>)}
            first; a quote or a backslash in a value needs a backslash before it.
          </p>
        )}
        {views.map(({ word, request, svc = svcRequest(request) }) => (
          <div className="stack g-2" key={svc}>
            {word && <p className="medium small">{word}</p>}
            <CodeBlock name={word ? `curl: ${word}` : "curl"} text={curlLine(location.origin, request)} />
            <CodeBlock name={word ? `svc: ${word}` : "svc"} text={svc} />
          </div>
        ))}
      </div>
    </details>
  );
}
