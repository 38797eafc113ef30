import { ApiError } from '../../base/errors';
import { type CorrectionDue, closeProposal, openProposal, writeProposal } from '../../ledger';

const ROWS_PER_STATEMENT = 500;
const MAX_REASON_CHARACTERS = 500;

type Proposal = Parameters<typeof openProposal>[0];

/**
 * Stores what users would get back as a batch. What was proposed or paid before is subtracted, so a repetition proposes
 * nothing. Returns the id of the batch; null if there is nothing to propose.
 */
export async function propose(
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
  const batchId = await openProposal({ ...proposal, reason });
  for await (const dues of overcharges)
    for (let start = 0; start < dues.length; start += ROWS_PER_STATEMENT)
      await writeProposal(batchId, dues.slice(start, start + ROWS_PER_STATEMENT));
  return (await closeProposal(batchId)) ? batchId : null;
}
