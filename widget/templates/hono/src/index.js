import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { webhookHono } from 'svc-checkout/server';

const { PORT = '8787', SVC_WEBHOOK_SECRET: secret } = process.env;
const service = 'https://YOUR-SERVICE';
const model = 'sandbox/story';
const app = new Hono();

// The prompt stays on the server; the page sends the question, its user's key and an Idempotency-Key.
app.post('/ask', async (context) => {
  const { question } = await context.req.json();
  const response = await fetch(`${service}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      Authorization: context.req.header('authorization') ?? '',
      'Idempotency-Key': context.req.header('idempotency-key') ?? '',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      model,
      max_tokens: 300,
      messages: [
        { role: 'system', content: 'Answer in one paragraph.' },
        { role: 'user', content: String(question) },
      ],
    }),
  });
  return new Response(response.body, { status: response.status, headers: { 'Content-Type': 'application/json' } });
});

// Set https://YOUR-APP/svc and copy the signing secret in the partner dashboard.
if (secret) app.post('/svc', webhookHono({ secret, onEvent: ({ type, id }) => console.log(type, id) }));

app.get('*', serveStatic({ root: './public' }));

serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`http://localhost:${port}`));
