import { writeKeySet } from '@/server/api/statements';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { listSigningKeys } from '@/server/reports/statements/signing-keys';

export const GET = (): Promise<Response> =>
  respond('chat', async () =>
    Response.json(writeKeySet(await listSigningKeys()), {
      headers: { 'cache-control': 'public, max-age=300' },
    }),
  );

export const OPTIONS = preflight;
