import { X509Certificate, createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Trusts the certificate of `svcd dev`: chromium caches nothing of a server whose certificate it only tolerates. */
function trust() {
  if (!process.env.TEST_WEB_SERVICE) return [];
  const { dataDir } = JSON.parse(process.env.TEST_WEB_SERVICE);
  const { publicKey } = new X509Certificate(readFileSync(path.join(dataDir, "tls", "server.pem")));
  const hash = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" })).digest("base64");
  return [`--ignore-certificate-errors-spki-list=${hash}`];
}

export const chromiumFlags = () => ["--no-sandbox", ...trust()];
