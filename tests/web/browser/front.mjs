import { readFileSync } from "node:fs";
import https from "node:https";
import path from "node:path";

/**
 * Serves in front of instances, with the certificate of `svcd dev`, as a load balancer would. `target` names the instance
 * for the next request and may change. `answer` may answer a request by itself and returns true then.
 */
export async function serveFront(service, { answer = () => false } = {}) {
  const tls = path.join(service.dataDir, "tls");
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  const front = { target: service.url, requests: [], refused: 0 };
  const server = https.createServer({
    cert: readFileSync(path.join(tls, "server.pem")), key: readFileSync(path.join(tls, "server-key.pem")),
  }, (request, response) => {
    front.requests.push({ at: Date.now(), method: request.method, url: request.url, headers: request.headers, response });
    if (answer(request, response)) return;
    const { hostname, port } = new URL(front.target);
    const forwarded = https.request({
      hostname, port, agent, method: request.method, path: request.url, headers: request.headers, rejectUnauthorized: false,
    }, (answered) => {
      response.writeHead(answered.statusCode, answered.headers);
      answered.pipe(response);
      answered.on("error", () => response.destroy());
    });
    forwarded.on("error", () => {
      front.refused++;
      response.destroy();
    });
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  front.url = `https://127.0.0.1:${server.address().port}`;
  front.close = () => new Promise((resolve) => {
    agent.destroy();
    server.close(resolve);
    server.closeAllConnections();
  });
  return front;
}
