import type { Snippet } from "../../parts/secret_page";

/** Texts with which the places of a token start. They hold the token only where the place itself stores it. */
export function tokenSnippets(origin: string, secret: string): Snippet[] {
  return [
    {
      place: "GitHub Actions", name: ".github/workflows/nightly.yml",
      lead: "Save it as the secret SERVICE_TOKEN. This step then starts a job and waits for its result:",
      text: [
        "- name: Run the job",
        "  env:",
        `    SERVICE_URL: ${origin}`,
        "    SERVICE_TOKEN: ${{ secrets.SERVICE_TOKEN }}",
        "  run: svc job trigger nightly --follow --timeout 1800",
      ].join("\n"),
    },
    {
      place: "GitLab", name: ".gitlab-ci.yml",
      lead: "Save it as the masked variable SERVICE_TOKEN. This job then starts a job and waits for its result:",
      text: [
        "nightly:",
        "  variables:",
        `    SERVICE_URL: ${origin}`,
        "  script:",
        "    - svc job trigger nightly --follow --timeout 1800",
      ].join("\n"),
    },
    {
      place: ".env", name: ".env",
      lead: "Keep the file out of version control, and readable by its user only.",
      text: [`SERVICE_URL=${origin}`, `SERVICE_TOKEN=${secret}`].join("\n"),
    },
    {
      place: "svc", name: "Shell",
      lead: "The client asks for the token, checks it and stores it.",
      text: `svc login --url ${origin}`,
    },
    {
      place: "curl", name: "Shell",
      lead: "With the token in the variable SERVICE_TOKEN:",
      text: `curl -H "Authorization: Bearer $SERVICE_TOKEN" ${origin}/api/auth/whoami`,
    },
  ];
}
