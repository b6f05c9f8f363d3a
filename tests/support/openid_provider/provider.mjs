// A certified OpenID provider for tests, with TLS on loopback. A person signs in without a page: as the account that
// the last PUT /account named.
// usage: provider.mjs SETTINGS.json   (port, certificate, key, clients, basic: whether clients may use Basic)
// Prints "ready" once it listens.
import {createServer} from 'node:https';
import {readFileSync} from 'node:fs';
import {exportJWK, generateKeyPair} from 'jose';
import Provider from 'oidc-provider';

const settings = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const accounts = new Map();
let current = '';

async function key(alg, kid) {
  const {privateKey} = await generateKeyPair(alg, {extractable: true});
  return {...await exportJWK(privateKey), use: 'sig', alg, kid};
}

const scopes = 'openid email profile groups';
const provider = new Provider(`https://127.0.0.1:${settings.port}`, {
  clients: settings.clients,
  clientAuthMethods: settings.basic ? ['client_secret_basic', 'client_secret_post'] : ['client_secret_post'],
  jwks: {keys: await Promise.all([key('RS256', 'rs'), key('PS256', 'ps'), key('ES256', 'es')])},
  cookies: {keys: ['of a test']},
  claims: {openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups']},
  enabledJWA: {idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256']},
  conformIdTokenClaims: false,
  pkce: {required: () => true},
  features: {devInteractions: {enabled: false}},
  interactions: {url: (_, interaction) => `/interaction/${interaction.uid}`},
  findAccount: (_, id) => ({accountId: id, claims: () => ({sub: id, ...accounts.get(id)})}),
  async loadExistingGrant(ctx) {
    const grant = new ctx.oidc.provider.Grant(
      {clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId});
    grant.addOIDCScope(scopes);
    await grant.save();
    return grant;
  },
});

async function body(request) {
  let text = '';
  for await (const part of request) text += part;
  return JSON.parse(text);
}

const answer = provider.callback();
const server = createServer({cert: readFileSync(settings.certificate), key: readFileSync(settings.key)},
  async (request, response) => {
    try {
      if (request.method === 'PUT' && request.url === '/account') {
        const {sub, ...claims} = await body(request);
        accounts.set(sub, claims);
        current = sub;
        response.writeHead(204).end();
      } else if (request.url.startsWith('/interaction/')) {
        const result = current === '' ? {error: 'access_denied'} : {login: {accountId: current}};
        await provider.interactionFinished(request, response, result, {mergeWithLastSubmission: false});
      } else {
        await answer(request, response);
      }
    } catch (error) {
      console.error(error);
      response.writeHead(500).end();
    }
  });
server.listen(settings.port, '127.0.0.1', () => console.log('ready'));
