import { readBalance } from '@/server/api/balance';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireUserKey } from '@/server/people/access/authenticate';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => privateJson(await readBalance(await requireUserKey(request))));

export const OPTIONS = preflight;
