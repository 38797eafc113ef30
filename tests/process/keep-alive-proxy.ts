import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy as nginx is with `keepalive` and `max_fails=0`: it keeps its connections to each server, uses the one
 * last used first, goes to the next server only if it cannot connect, and otherwise responds with 502.
 */
export async function startProxy(servers: string[]): Promise<{ url: string; close: () => Promise<void> }> {
  const upstreams = servers.map((url) => ({
    url,
    agent: new Agent({ keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' }),
  }));
  let turn = 0;
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    turn++;
    const order = upstreams.map((_, i) => upstreams[(turn + i) % upstreams.length]).filter(isGiven);
    for (const { url, agent } of order) {
      const outcome = await forward(`${url}${incoming.url}`, agent, { incoming, outgoing, body });
      if (outcome === 'forwarded') return;
      if (outcome === 'broken') break;
    }
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      for (const { agent } of upstreams) agent.destroy();
    },
  };
}

const isGiven = <T>(value: T | undefined): value is T => value !== undefined;

type Client = { incoming: IncomingMessage; outgoing: ServerResponse; body: Buffer };

function forward(
  url: string,
  agent: Agent,
  { incoming, outgoing, body }: Client,
): Promise<'forwarded' | 'unreachable' | 'broken'> {
  return new Promise((resolve) => {
    const { authorization = '', 'content-type': type = '' } = incoming.headers;
    const headers = { authorization, 'content-type': type, 'content-length': body.length };
    const onward = request(url, { agent, method: incoming.method, headers });
    onward.once('error', (error: NodeJS.ErrnoException) =>
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
