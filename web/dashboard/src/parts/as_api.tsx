import { CodeBlock } from "./copy";
import { Icon } from "./icon";
import { type ApiRequest, curlLine } from "./api_lines";

export interface ApiView {
  /** What the lines do, such as "List these runs"; a page with one operation needs none. */
  word?: string;
  request: ApiRequest;
  svc: string;
}

/** The operations of the public API behind a page, with its ids and filters. */
export function AsApi({ views }: { views: readonly ApiView[] }) {
  return (
    <details className="details">
      <summary><Icon name="right" small />As API</summary>
      <div className="stack g-3 as-api">
        <p className="small muted">
          Both lines read a token from <code>SERVICE_TOKEN</code>. The client needs <code>SERVICE_URL={location.origin}</code>, or takes
          both from <code>svc login</code>.
        </p>
        {views.map(({ word, request, svc }) => (
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
