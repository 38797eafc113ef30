import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { renewLeases } from '@/server/ledger/lease';
import { apiListener } from '@/server/process/api-listener';

/** Another instance on the same database. It sends its address, and renews its leases at each message. */
const server = createServer((request, response) => void apiListener(request, response));
server.listen(0, '127.0.0.1', () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on('message', async () => {
  await renewLeases();
  process.send?.('renewed');
});
