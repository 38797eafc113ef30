import { writeReceiptBody } from '@/server/api/receipt';
import { ApiError } from '@/server/base/errors';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { findReceipt, readCorrections } from '@/server/ledger';
import { requireUserKey } from '@/server/people/access/authenticate';
import { readBranch } from '@/server/people/keys/run-keys';
import { findReceiptProof } from '@/server/reports/statements/read-statements';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    const { userId, partnerId } = caller;
    const { id } = await context.params;
    const receipt = await findReceipt({ userId, partnerId, requestId: id, keyIds: await readBranch(caller) });
    const proof = receipt && (await findReceiptProof(userId, receipt.requestId));
    if (receipt === null || proof === null)
      throw new ApiError('not_found', 'No request with this id exists for this user in this app.');
    const corrections = await readCorrections(userId, receipt.requestId);
    return privateJson(writeReceiptBody(receipt, corrections, proof));
  });

export const OPTIONS = preflight;
