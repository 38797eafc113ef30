import { z } from 'zod';
import { readBody } from '@/server/base/http/read-body';
import { privateJson } from '@/server/base/http/respond';
import { readDevice, respondToVisit } from '@/server/payments/checkout/visit-request';
import { isFirstParty, signInWithCode } from '@/server/payments/checkout/visit-sign-in';
import { knownBrowserCookie } from '@/server/people/known-browser';
import { sessionCookie } from '@/server/people/session-cookie';
import { findFirstLanguage } from '@/texts/languages';
import { stateBody } from '../../state-body';

const bodySchema = z.object({
  challenge_id: z.string().max(64),
  email: z.string().max(320),
  code: z.string().max(20),
  changes_account: z.boolean().optional(),
  locale: z.string().max(35).optional(),
});

/** Without an effect if the window knows another account, unless `changes_account` is set. */
export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondToVisit(request, context, async (visit) => {
    const {
      challenge_id: challengeId,
      changes_account: changesAccount,
      locale,
      ...entry
    } = await readBody(request, bodySchema);
    const device = readDevice(request);
    const signIn = await signInWithCode(
      visit,
      { ...entry, challengeId, changesAccount, language: findFirstLanguage(locale) },
      device,
    );
    if (signIn === 'other_account') return privateJson({ refused: signIn });
    const response = privateJson({
      sign_in_token: signIn.signInToken,
      state: await stateBody(signIn.visit, device),
    });
    const framed = !isFirstParty(visit);
    response.headers.append('set-cookie', knownBrowserCookie(signIn.browserCookie, { framed }));
    if (signIn.sessionToken !== null)
      response.headers.append('set-cookie', sessionCookie(signIn.sessionToken));
    return response;
  });
}
