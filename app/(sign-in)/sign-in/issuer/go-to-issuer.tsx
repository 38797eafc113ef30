'use client';

import { IssuerButtons } from '@/app/_session/issuer-buttons';
import { signInPath } from '@/app/_session/return-path';
import { messagesFor } from '@/app/checkout/messages';
import type { Issuer } from '@/server/people/issuers';

export function GoToIssuer({ issuers, returnTo }: { issuers: Issuer[]; returnTo: string }) {
  return (
    <IssuerButtons issuers={issuers} start={signInPath(returnTo)} label={messagesFor('en').continueWith} />
  );
}
