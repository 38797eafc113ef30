import { z } from 'zod';
import { creditsToJson } from '@/server/base/credits';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { type AllowanceOutcome, setAllowanceInVisit } from '@/server/payments/checkout/visit-allowance';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';

const bodySchema = z.object({
  credits: z.number().nullable(),
  save_id: z.string().regex(/^[\w-]{8,64}$/, { error: 'expected 8 to 64 letters, digits, - or _' }),
  locale: z.string().max(35).optional(),
  confirmation: z.object({ challenge_id: z.string().max(64), code: z.string().max(20) }).optional(),
});

/** Saves the allowance; 202 if the user has to confirm it first, with the code that was then sent. */
export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const { credits, save_id: saveId, locale, confirmation } = await readBody(request, bodySchema);
    const entry = confirmation ? { challengeId: confirmation.challenge_id, code: confirmation.code } : null;
    const choice = { credits, saveId, locale, entry };
    const outcome = await setAllowanceInVisit(visit, choice, readDevice(request));
    return privateJson(outcomeBody(outcome), { status: 'sent' in outcome ? 202 : 200 });
  });
}

function outcomeBody(outcome: AllowanceOutcome): object {
  if ('sent' in outcome) {
    const { challengeId, expiresInSeconds, resendInSeconds } = outcome.sent;
    return { challenge_id: challengeId, expires_in: expiresInSeconds, resend_in: resendInSeconds };
  }
  const { grantedCredits, creditsAdded, balance } = outcome.saved;
  return {
    granted_credits: creditsToJson(grantedCredits),
    credits_added: creditsToJson(creditsAdded),
    balance: creditsToJson(balance),
  };
}
