// @ts-check
import { createServer } from 'node:http';

/** A provider whose streams have a chunk every 50 ms, until the client closes them. */

const EVERY_MS = 50;
const CHUNK = `data: ${JSON.stringify({
  id: 'chatcmpl-flood',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'gpt-4.1-mini',
  choices: [{ index: 0, delta: { content: 'waves ' }, finish_reason: null }],
})}\n\n`;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.method !== 'POST') return response.end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(CHUNK);
    const timer = setInterval(() => response.write(CHUNK), EVERY_MS);
    response.on('close', () => clearInterval(timer));
  });
});

server.listen(Number(process.env.PORT), '127.0.0.1');
