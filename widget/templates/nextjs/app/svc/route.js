import { webhookRoute } from 'svc-checkout/server';

// Set this URL and copy the signing secret in the partner dashboard.
export async function POST(request) {
  const receive = webhookRoute({
    secret: process.env.SVC_WEBHOOK_SECRET,
    onEvent: (event) => console.log(event.type, event.id),
  });
  return receive(request);
}
