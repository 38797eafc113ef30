import { sendPdf } from '../invoices/respond';
import { findStatement } from './statement';
import { renderStatement } from './statement-pdf';

/** The PDF of a payout; `teamId` null serves those of all teams. Null if there is no such payout. */
export async function respondWithStatement(
  payoutId: string,
  teamId: string | null,
): Promise<Response | null> {
  const statement = await findStatement(payoutId, teamId);
  return statement && sendPdf(`statement-${payoutId}.pdf`, () => renderStatement(statement));
}
