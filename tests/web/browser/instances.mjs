import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { service } from "./fixtures.mjs";

/** Returns a port that nobody uses now. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Starts another instance on the stores of `svcd dev`; resolves when it serves. */
export async function startInstance(environment = {}, port = 0) {
  const child = spawn(process.env.SVC_BIN, [
    "serve", "--config", service.configFile, "--listen", `127.0.0.1:${port}`, "--admin", "127.0.0.1:0",
  ], { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let printed = "";
    const read = (piece) => {
      printed += piece;
      const found = /"message":"serving","address":"([^"]+)"/.exec(printed);
      if (found) resolve(`https://${found[1]}`);
      if (printed.length > 100_000) printed = printed.slice(-10_000);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => reject(new Error(`svcd serve ended with ${code}: ${printed.slice(-2_000)}`)));
  });
  const stop = async (signal = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  return { url, stop };
}

/** Builds the pages; a mark makes a bundle whose files all have other names. */
export const buildPages = (folder, mark = "") =>
  execFileSync(process.execPath, [fileURLToPath(new URL("../../../web/build.mjs", import.meta.url)), "--out", folder, "--mark", mark]);
