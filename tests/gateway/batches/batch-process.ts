import { POST } from '@/app/v1/batches/route.api';
import { POST as POST_MESSAGES } from '@/app/v1/messages/batches/route.api';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';

/**
 * A process that starts a batch for a user key and the id of a file, or one of messages without a file, or looks after
 * those that are due, as each instance of the service does.
 */
const [argument = ''] = process.argv.slice(2);
const [userKey = '', fileId = ''] = argument.split(' ');
const headers = {
  authorization: `Bearer ${userKey}`,
  'content-type': 'application/json',
  'idempotency-key': 'once',
};
const send = (route: typeof POST, path: string, body: object) =>
  route(new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
if (userKey === '') await lookAfterBatches();
else if (fileId === '') {
  const messages = [{ role: 'user', content: 'Hello' }];
  const params = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages };
  await send(POST_MESSAGES, '/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
} else {
  const of = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' };
  await send(POST, '/v1/batches', of);
}
process.exit(0);
