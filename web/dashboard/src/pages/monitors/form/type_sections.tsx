import { Icon } from "../../../parts/icon";
import { FormArea, FormChoice, FormFlag, FormPanel, FormSecret, FormText, useForm } from "./form_parts";
import { Assertions, Headers } from "./lists";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((one) => [one, one] as const);
const IP_VERSIONS = [["auto", "Any"], ["4", "IPv4"], ["6", "IPv6"]] as const;
const RECORDS = ["A", "AAAA", "CNAME", "MX", "NS", "TXT", "SRV", "CAA", "SOA", "PTR"].map((one) => [one, one] as const);
const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"].map((one) => [one, one] as const);

function WebMore() {
  return (
    <details className="details">
      <summary><Icon name="right" />More options</summary>
      <div className="form">
        <div className="form-row">
          <FormText pointer="/config/keywordInBody" hint="Case is ignored." />
          <FormText pointer="/config/responseBodyJsonPath/path" mono placeholder="$.status" />
          <FormText pointer="/config/responseBodyJsonPath/expectedValue" mono />
        </div>
        <FormFlag pointer="/config/keywordInBodyShouldBePresent" />
        <div className="form-row">
          <FormText pointer="/config/maxRedirects" />
          <FormText pointer="/config/maxBodyBytes" />
          <FormChoice pointer="/config/ipVersion" options={IP_VERSIONS} />
        </div>
        <FormFlag pointer="/config/followRedirects" />
        <FormChoice
          pointer="/config/capture" options={[["never", "No"], ["on_failure", "Headers and 1 KiB of the body"]]}
          hint="Secrets are masked in what is kept."
        />
        <fieldset className="form">
          <legend className="label">TLS and certificate</legend>
          <FormFlag pointer="/config/tls/verify" />
          <FormFlag pointer="/config/enableSslCheck" />
          <div className="form-row">
            <FormText pointer="/config/sslWarningDays" placeholder="30, 14, 7, 3, 1" />
            <FormChoice pointer="/config/tls/minVersion" options={[["1.2", "1.2"], ["1.3", "1.3"]]} />
            <FormText pointer="/config/tls/serverName" mono />
          </div>
          <div className="form-row">
            <FormText pointer="/config/tls/clientCertificate" mono placeholder="{{CLIENT_CERTIFICATE}}" hint="A variable of the project." />
            <FormText pointer="/config/tls/clientKey" mono placeholder="{{CLIENT_KEY}}" hint="A variable of the project." />
          </div>
          <FormArea pointer="/config/tls/ca" hint="Certificates as PEM, for targets that public authorities do not vouch for." />
        </fieldset>
      </div>
    </details>
  );
}

function WebSections({ request }: { request: boolean }) {
  return (
    <>
      <FormPanel id="request" title={request ? "Request" : "Website"}>
        <FormText pointer="/name" autoFocus />
        {request
          ? (
            <div className="form-target">
              <FormChoice pointer="/config/method" options={METHODS} />
              <FormText pointer="/target" mono placeholder="https://" />
            </div>
          )
          : <FormText pointer="/target" mono placeholder="https://" hint="A GET request with an answer from 200 to 299 is good." />}
        <Headers />
        {request && <FormArea pointer="/config/body" />}
        {request && <FormText pointer="/config/expectedStatusCodes" mono hint="Codes, ranges and classes, such as 200-299,304 or 2xx." />}
        <FormChoice pointer="/config/auth/type" options={[["none", "Without"], ["basic", "User name and password"], ["bearer", "Token"]]} />
        <FormText pointer="/config/auth/username" />
        <FormSecret pointer="/config/auth/password" />
        <FormSecret pointer="/config/auth/token" />
        <WebMore />
      </FormPanel>
      <FormPanel id="assertions" title="Assertions"><Assertions /></FormPanel>
    </>
  );
}

function PingSection() {
  return (
    <FormPanel id="request" title="Ping">
      <FormText pointer="/name" autoFocus />
      <FormText pointer="/target" mono placeholder="router.example.org" hint="A host name or an address." />
      <div className="form-row">
        <FormText pointer="/config/count" />
        <FormText pointer="/config/intervalMs" />
        <FormText pointer="/config/payloadBytes" />
      </div>
      <div className="form-row">
        <FormText pointer="/config/maxLossPercent" hint="With 99 one reply is enough." />
        <FormChoice pointer="/config/ipVersion" options={IP_VERSIONS} />
      </div>
    </FormPanel>
  );
}

function PortSection() {
  const { values } = useForm();
  const udp = values.texts["/config/protocol"] === "udp";
  return (
    <FormPanel id="request" title="Port">
      <FormText pointer="/name" autoFocus />
      <div className="form-row">
        <FormText pointer="/target" mono placeholder="mail.example.org" hint="A host name or an address." />
        <FormText pointer="/config/port" mono />
        <FormChoice pointer="/config/protocol" options={[["tcp", "TCP"], ["udp", "UDP"]]} />
      </div>
      <FormFlag pointer="/config/expectClosed" />
      {!udp && <FormFlag pointer="/config/tls" />}
      <div className="form-row">
        <FormText pointer="/config/send" mono hint="Text that is sent first; never to a port for mail." />
        <FormText
          pointer="/config/expect" mono
          hint={udp ? "Without it a port that answers nothing counts as open." : "A regular expression for the start of the answer."}
        />
        <FormChoice pointer="/config/ipVersion" options={IP_VERSIONS} />
      </div>
    </FormPanel>
  );
}

function DnsSections() {
  return (
    <>
      <FormPanel id="request" title="DNS">
        <FormText pointer="/name" autoFocus />
        <div className="form-row">
          <FormText pointer="/target" mono placeholder="example.org" hint="The name to look up." />
          <FormChoice pointer="/config/recordType" options={RECORDS} />
        </div>
        <div className="form-row">
          <FormText pointer="/config/resolver" mono placeholder="192.0.2.53:53" hint="Unless set, the service’s own resolvers answer." />
          <FormChoice pointer="/config/expectedRcode" options={RCODES} />
        </div>
      </FormPanel>
      <FormPanel id="assertions" title="Assertions"><Assertions /></FormPanel>
    </>
  );
}

function HeartbeatSection() {
  const { values, change } = useForm();
  const choose = (schedule: "every" | "cron") => () => change((old) => ({ ...old, schedule }), "/config/schedule");
  return (
    <>
      <FormPanel id="request" title="Heartbeat">
        <FormText pointer="/name" autoFocus />
        <fieldset className="stack g-2">
          <legend className="label">The job runs</legend>
          {([["every", "At an interval"], ["cron", "By a schedule"]] as const).map(([key, word]) => (
            <label className="check" key={key}>
              <input type="radio" name="schedule" checked={values.schedule === key} onChange={choose(key)} />
              <span>{word}</span>
            </label>
          ))}
        </fieldset>
        <FormText pointer="/config/schedule/everySeconds" hint="86400 is a day." />
        <div className="form-row">
          <FormText pointer="/config/schedule/cron" mono placeholder="30 2 * * *" hint="Minute, hour, day, month and weekday." />
          <FormText pointer="/config/schedule/timeZone" placeholder="Europe/Berlin" hint="UTC unless set." />
        </div>
      </FormPanel>
      <FormPanel id="times" title="Times">
        <div className="form-row">
          <FormText pointer="/config/graceSeconds" hint="A ping may be late by this time." />
          <FormText pointer="/config/startGraceSeconds" hint="Without it no ping of the start is required." />
        </div>
        <div className="form-row">
          <FormText pointer="/config/maxDurationSeconds" hint="From the ping of the start to that of the end." />
          <FormText pointer="/config/earlySeconds" hint="For schedules: it counts for the coming time." />
        </div>
        <FormChoice
          pointer="/config/methods" options={[["any", "GET, HEAD and POST"], ["post", "Only POST"]]}
          hint="Previews of links send GET, so an address in a chat needs only POST."
        />
      </FormPanel>
    </>
  );
}

/** The parts of the form that the type decides. */
export function TypeSections() {
  const { type } = useForm();
  if (type === "heartbeat") return <HeartbeatSection />;
  if (type === "ping_host") return <PingSection />;
  if (type === "port_check") return <PortSection />;
  if (type === "dns") return <DnsSections />;
  return <WebSections request={type === "http_request"} />;
}
