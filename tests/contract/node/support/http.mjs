// One request, one answer, on persistent connections; no retries, redirects or decoding.
import http from 'node:http';
import https from 'node:https';

/** A function (method, target, {headers, body, endless}) => {status, headers, body}; `endless` reads only the head. */
export function client(base, {ca, sockets = 16} = {}) {
  const origin = new URL(base);
  const module = origin.protocol === 'https:' ? https : http;
  // The certificate is checked for the address, because the field Host may name the domain of a status page.
  const agent = new module.Agent({keepAlive: true, maxSockets: sockets, ca, servername: ''});
  const send = (method, target, {headers = {}, body, endless = false} = {}) => new Promise((resolve, reject) => {
    const length = body === undefined ? {} : {'Content-Length': Buffer.byteLength(body)};
    const request = module.request(
        {agent, host: origin.hostname, port: origin.port, method, path: target, headers: {...length, ...headers}},
        (response) => {
          const answer = {status: response.statusCode, headers: response.headers};
          if (endless && response.headers['content-type']?.startsWith('text/event-stream')) {
            resolve({...answer, body: Buffer.alloc(0)});
            response.on('error', () => {});
            response.destroy();
            return;
          }
          const pieces = [];
          response.on('data', (piece) => pieces.push(piece));
          response.on('error', reject);
          response.on('end', () => resolve({...answer, body: Buffer.concat(pieces)}));
        });
    request.setTimeout(90_000, () => request.destroy(new Error(`no answer within 90 s: ${method} ${target}`)));
    request.on('error', reject);
    request.end(body);
  });
  send.close = () => agent.destroy();
  return send;
}

export const bearer = (token) => ({Authorization: `Bearer ${token}`});
export const json = (value) => ({body: JSON.stringify(value), headers: {'Content-Type': 'application/json'}});
