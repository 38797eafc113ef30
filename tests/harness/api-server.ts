import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { LoopbackServer } from '@/sandbox/loopback-server';
import { startSandboxProvider } from '@/sandbox/provider/server';
import { findWidgetFile } from '@/server/base/http/widget-files';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { apiListener } from '@/server/process/api-listener';
import { createClientIpWriter } from '@/server/process/client-ip';
import { Connections } from '@/server/process/connections';

/**
 * Serves the API on a real port as the product does, with the sandbox provider behind it and its prices stored.
 * Call after `newDatabase()` and before anything reads the settings.
 */
export async function startApi({
  trustedProxies = [] as string[],
} = {}): Promise<{ url: string; provider: LoopbackServer; connections: Connections }> {
  const provider = await startSandboxProvider();
  process.env.SANDBOX_PROVIDER_URL = provider.url;
  await syncCatalog();
  const writeClientIp = createClientIpWriter(trustedProxies);
  const server = createServer((request, response) => {
    if (!connections.begin(request, response)) return;
    response.once('close', () => connections.end(request));
    if (trustedProxies.length > 0) writeClientIp(request);
    const { url: path = '' } = request;
    // What `proxy.ts` lets Next serve.
    if (findWidgetFile(path)) return void createReadStream(`public${path}`).pipe(response);
    void apiListener(request, response);
  });
  const connections = new Connections(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await provider.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, provider, connections };
}
