// @ts-check
import { createServer } from 'node:http';
import { Pool } from 'undici';

/** The upper bound for this runtime: node:http in, an undici keep-alive pool out, nothing in between. */

const pool = new Pool(String(process.env.UPSTREAM_ORIGIN), { connections: 256 });

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {Buffer} body
 */
function forward(request, response, body) {
  const { 'content-type': contentType = 'application/json', authorization = '' } = request.headers;
  pool
    .stream(
      {
        path: request.url ?? '/',
        method: 'POST',
        headers: { 'content-type': contentType, authorization },
        body,
      },
      ({ statusCode, headers }) => {
        const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, ...passed } = headers;
        return response.writeHead(statusCode, passed);
      },
    )
    .catch(() => response.destroy());
}

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => forward(request, response, Buffer.concat(parts)));
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
