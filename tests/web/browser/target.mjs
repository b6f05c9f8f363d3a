import { createServer } from "node:http";

/** Starts a target of checks and receiver of messages. The test chooses the status of its answers. */
export async function startTarget(status = 200) {
  const target = { status, calls: [], messages: [] };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      target.calls.push(request.url);
      if (body.startsWith("{")) target.messages.push(JSON.parse(body));
      response.statusCode = target.status;
      response.end("ok");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  target.url = `http://127.0.0.1:${server.address().port}`;
  target.close = () => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return target;
}
