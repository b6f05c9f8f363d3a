import type { LineKind } from "./output_buffer";

const WORDS = new RegExp(
  [
    "\\b(?:error|exception|fatal|panic|traceback|assert(?:ion)?(?:error| failed)?)\\b[:\\s]",
    "\\bFAIL(?:ED|URE)?\\b",
    "^\\s*(?:✘|✗|×|not ok)\\s",
    ": command not found$",
  ].join("|"),
  "i",
);
// Summaries name failures without being one, such as `0 failed` or `no errors`.
const CALM = /\b(?:0|no|without) (?:errors?|fail(?:ed|ures?))\b|\bfailed[:=] ?0\b/i;

/** True if a line looks like a failure. The status of a run never depends on it; it only places the view. */
export function looksLikeFailure(text: string, kind: LineKind): boolean {
  if (kind === "note") return false;
  return WORDS.test(text) && !CALM.test(text);
}
