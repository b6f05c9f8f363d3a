import type { Snippet } from "../../parts/secret_page";

/** Texts that start the job from the places of a trigger key. They hold the key only where the place itself stores it. */
export function keySnippets(origin: string, jobId: string, secret: string): Snippet[] {
  const address = `${origin}/api/jobs/${jobId}/trigger`;
  const lines = ["curl --fail-with-body -X POST \\", "  -H \"Authorization: Bearer $SERVICE_TRIGGER_KEY\" \\", `  ${address}`];
  const indented = (spaces: number) => lines.map((line) => " ".repeat(spaces) + line);
  return [
    {
      place: "curl", name: "Shell",
      lead: "With the key in the variable SERVICE_TRIGGER_KEY. The answer has the id of the run.",
      text: lines.join("\n"),
    },
    {
      place: "GitHub Actions", name: ".github/workflows/trigger.yml",
      lead: "Save it as the secret SERVICE_TRIGGER_KEY. This step then starts the job:",
      text: [
        "- name: Start the job",
        "  env:",
        "    SERVICE_TRIGGER_KEY: ${{ secrets.SERVICE_TRIGGER_KEY }}",
        "  run: |",
        ...indented(4),
      ].join("\n"),
    },
    {
      place: "GitLab", name: ".gitlab-ci.yml",
      lead: "Save it as the masked variable SERVICE_TRIGGER_KEY. This job then starts the job:",
      text: ["trigger:", "  script:", "    - |", ...indented(6)].join("\n"),
    },
    {
      place: ".env", name: ".env",
      lead: "Keep the file out of version control, and readable by its user only.",
      text: [`SERVICE_URL=${origin}`, `SERVICE_TRIGGER_KEY=${secret}`].join("\n"),
    },
  ];
}
