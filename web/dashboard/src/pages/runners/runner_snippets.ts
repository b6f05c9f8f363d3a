import type { Snippet } from "../../parts/secret_page";

/**
 * Texts with which a runner starts. The address of the internal listener is not known to the pages, so the reader replaces it.
 */
export function runnerSnippets(host: string, secret: string): Snippet[] {
  const url = `https://${host}:8444`;
  return [
    {
      place: "Shell", name: "Shell",
      lead: "Save the token in the file token, readable by its user only. The address is that of the listener of kind internal:",
      text: `SVC_RUNNER_URL=${url} SVC_RUNNER_TOKEN_FILE=token svc-runner`,
    },
    {
      place: "Check", name: "Shell",
      lead: "Reports the configuration, the isolation that the machine allows, and whether the service accepts the token:",
      text: `SVC_RUNNER_URL=${url} SVC_RUNNER_TOKEN_FILE=token svc-runner --check-config --connect`,
    },
    {
      place: "Token file", name: "token",
      lead: "The file holds only the token. Keep it out of version control.",
      text: secret,
    },
  ];
}
