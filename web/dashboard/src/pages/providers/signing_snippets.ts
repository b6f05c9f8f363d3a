import type { Snippet } from "../../parts/secret_page";

/** Places of a signing secret. They hold it only where the place itself stores it. */
export function signingSnippets(secret: string): Snippet[] {
  return [
    {
      place: ".env", name: ".env", lead: "Keep the file out of version control, and readable by the receiver only.",
      text: `WEBHOOK_SECRET=${secret}`,
    },
    {
      place: "Node", name: "receiver.mjs",
      lead: "Signatures follow Standard Webhooks; its libraries check them. With the secret in WEBHOOK_SECRET:",
      text: [
        'import { Webhook } from "standardwebhooks";',
        "",
        "// Throws if the message does not come from here, or is old.",
        "const message = new Webhook(process.env.WEBHOOK_SECRET).verify(rawBody, request.headers);",
      ].join("\n"),
    },
  ];
}
