import { ApiError } from '../../base/errors';
import { type CorrectionDue, openProposal, writeProposal } from '../../ledger';

const ROWS_PER_STATEMENT = 500;
const MAX_REASON_CHARACTERS = 500;

type Proposal = Parameters<typeof openProposal>[0];

/**
 * Stores what users would get back as a batch that counts for nothing until it is closed, which subtracts what was
 * proposed or paid before. Returns its id; null if no request was overcharged.
 */
export async function prepareProposal(
  { reason: given, ...proposal }: Proposal,
  overcharges: AsyncIterable<CorrectionDue[]>,
): Promise<string | null> {
  const reason = given.trim();
  if (reason === '' || reason.length > MAX_REASON_CHARACTERS)
    throw new ApiError(
      'invalid_request',
      `Enter a reason of 1 to ${MAX_REASON_CHARACTERS} characters; users read it`,
      { param: 'reason' },
    );
  let batchId: string | null = null;
  for await (const dues of overcharges)
    for (let start = 0; start < dues.length; start += ROWS_PER_STATEMENT) {
      batchId ??= await openProposal({ ...proposal, reason });
      await writeProposal(batchId, dues.slice(start, start + ROWS_PER_STATEMENT));
    }
  return batchId;
}
