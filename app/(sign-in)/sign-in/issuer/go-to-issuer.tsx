'use client';

import { IssuerButtons } from '@/app/_session/issuer-buttons';
import { signInPath } from '@/app/_session/return-path';
import { type SharedTexts, speakShared } from '@/app/_session/shared-words';
import type { Issuer } from '@/server/people/issuers';

type Props = { shared: SharedTexts; issuers: Issuer[]; returnTo: string };

export function GoToIssuer({ shared, issuers, returnTo }: Props) {
  const { continueWith } = speakShared(shared).say;
  return <IssuerButtons issuers={issuers} start={signInPath(returnTo)} label={continueWith} />;
}
