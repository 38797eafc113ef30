import { writeKeySet } from '@/server/api/statements';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';
import { listSigningKeys } from '@/server/statements/signing-keys';

export const GET = (): Promise<Response> =>
  respond('chat', async () =>
    Response.json(writeKeySet(await listSigningKeys()), {
      headers: { 'cache-control': 'public, max-age=300' },
    }),
  );

export const OPTIONS = preflight;
