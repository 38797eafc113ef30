// @ts-check
import { Agent, createServer, request } from 'node:http';

/** As nginx has it; the product keeps idle connections for longer. */
const IDLE_MS = 60_000;

/**
 * A proxy as nginx is with `keepalive` and `max_fails=0`: it keeps its connections to each server, uses the one
 * last used first, goes to the next server only if it cannot connect, and otherwise responds with 502.
 *
 * @param {string[]} servers
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startProxy(servers) {
  const upstreams = servers.map((url) => ({
    url,
    agent: new Agent({ keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: IDLE_MS }),
  }));
  let turn = 0;
  const proxy = createServer(async (incoming, outgoing) => {
    const body = await readBody(incoming);
    // The client has left.
    if (body === undefined) return;
    turn += 1;
    const first = turn % upstreams.length;
    for (const { url, agent } of [...upstreams.slice(first), ...upstreams.slice(0, first)]) {
      const outcome = await forward(`${url}${incoming.url}`, agent, { incoming, outgoing, body });
      if (outcome === 'forwarded') return;
      if (outcome === 'broken') break;
    }
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  // Closing an idle connection would race with the next request on it.
  proxy.keepAliveTimeout = 0;
  await new Promise((resolve) =>
    proxy.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => resolve(undefined)),
  );
  const { port } = /** @type {import('node:net').AddressInfo} */ (proxy.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      for (const { agent } of upstreams) agent.destroy();
    },
  };
}

/** @param {import('node:http').IncomingMessage} incoming */
async function readBody(incoming) {
  const chunks = [];
  try {
    for await (const chunk of incoming) chunks.push(/** @type {Buffer} */ (chunk));
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

/**
 * @typedef {{ incoming: import('node:http').IncomingMessage, outgoing: import('node:http').ServerResponse, body: Buffer }} Client
 *
 * @param {string} url
 * @param {Agent} agent
 * @param {Client} client
 * @returns {Promise<'forwarded' | 'unreachable' | 'broken'>}
 */
function forward(url, agent, { incoming, outgoing, body }) {
  return new Promise((resolve) => {
    const {
      host: _host,
      connection: _connection,
      'transfer-encoding': _encoding,
      ...given
    } = incoming.headers;
    const headers = { ...given, 'content-length': body.length };
    const onward = request(url, { agent, method: incoming.method, headers });
    onward.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(error.code === 'ECONNREFUSED' ? 'unreachable' : 'broken'),
    );
    onward.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      response.once('aborted', () => resolve('broken'));
      response.once('end', () => resolve('forwarded'));
    });
    onward.end(body);
  });
}
