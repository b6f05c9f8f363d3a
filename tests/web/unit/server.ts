import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export type Answer = (request: Received, response: http.ServerResponse, number: number) => unknown;

export interface TestServer {
  origin: string;
  requests: Received[];
  close: () => Promise<void>;
}

/** Serves on a free port of the loopback address. `number` counts the requests from 1. */
export async function serve(answer: Answer): Promise<TestServer> {
  const requests: Received[] = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const received = { method: request.method!, url: request.url!, headers: request.headers, body };
    requests.push(received);
    await answer(received, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(response: http.ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

export const refusal = (code: string) => ({ error: `The code is ${code}.`, code, requestId: "r-1" });

/** Waits until the condition holds; fails after five seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > end) throw new Error("The condition never held.");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
