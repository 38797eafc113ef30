import { POST } from '@/app/v1/videos/route.api';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { GROK } from './video-model';

/** A process that starts a video for a user key, or looks after those that are due, as each instance of the service does. */
const [userKey = ''] = process.argv.slice(2);
if (userKey === '') await lookAfterVideos();
else {
  const headers = {
    authorization: `Bearer ${userKey}`,
    'content-type': 'application/json',
    'idempotency-key': 'once',
  };
  const body = JSON.stringify({ model: GROK, prompt: 'A lighthouse' });
  await POST(new Request('http://localhost/v1/videos', { method: 'POST', headers, body }));
}
process.exit(0);
