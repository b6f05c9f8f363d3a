import { useEffect, useState } from "react";
import { Icon } from "./icon";
import { toast, warn } from "./toasts";

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure context there is no clipboard; a selection can still be copied by hand.
    warn("The browser does not permit copying. Select the text and copy it by hand.");
    throw new Error("The clipboard is not available.");
  }
}

/** Copies an id from a menu and confirms it. */
export const copyId = (id: string): void =>
  void copyText(id).then(() => toast({ text: "The id was copied." }), () => {});

interface CopyProps {
  text: string;
  label: string;
  /** Shown next to the sign; without it the button has only a label. */
  word?: string;
  primary?: boolean;
  /** The button has the focus as soon as it is shown. */
  autoFocus?: boolean;
}

/** Copies a text; the sign becomes a tick for two seconds. */
export function CopyButton({ text, label, word, primary, autoFocus }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const look = primary ? "btn btn-primary" : word ? "btn btn-s" : "btn btn-s btn-quiet btn-icon";
  return (
    <button
      className={look}
      type="button"
      autoFocus={autoFocus}
      aria-label={word ? undefined : label}
      onClick={() => copyText(text).then(() => setCopied(true), () => {})}
    >
      <Icon name={copied ? "check" : "copy"} />
      {word && (copied ? "Copied" : word)}
      <span className="vh" role="status">{copied ? "Copied" : ""}</span>
    </button>
  );
}

/** One command to copy, with the prompt of a shell. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="code code-line">
      <code tabIndex={0} role="region" aria-label="command">
        <span className="p">$ </span>
        {command}
      </code>
      <CopyButton text={command} label="Copy command" />
    </div>
  );
}

/** A text of several lines with a name and a copy button. */
export function CodeBlock({ name, text }: { name: string; text: string }) {
  return (
    <div className="code">
      <div className="code-head">
        <span>{name}</span>
        <CopyButton text={text} label={`Copy ${name}`} />
      </div>
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
