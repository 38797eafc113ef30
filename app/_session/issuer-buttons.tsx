'use client';

import { useState } from 'react';
import type { Issuer } from '@/server/people/issuers';
import { Button } from '../_ui/button';
import { withFailure } from './issuer-start';

type Props = {
  issuers: Issuer[];
  /** The page that begins, to which the browser returns. */
  start: string;
  label(given: { issuer: string }): string;
};

/** Signs in at an issuer in this window. */
export function IssuerButtons({ issuers, start, label }: Props) {
  const [busy, setBusy] = useState<string>();
  return (
    <div className="grid gap-2">
      {issuers.map(({ provider, name }) => (
        <Button
          key={provider}
          look="secondary"
          size="large"
          busy={busy === provider}
          className="w-full"
          onClick={() => {
            setBusy(provider);
            void goToIssuer(provider, start);
          }}
        >
          {label({ issuer: name })}
        </Button>
      ))}
    </div>
  );
}

/** Leaves this page. One that cannot begin returns to it with the reason. */
export async function goToIssuer(provider: string, start: string): Promise<void> {
  const address = `/api/auth/signin/${encodeURIComponent(provider)}?start=${encodeURIComponent(start)}`;
  const begun = await fetch(address, { method: 'POST' })
    .then((response) => response.json() as Promise<{ url?: string }>)
    .catch(() => ({ url: undefined }));
  window.location.assign(begun.url ?? withFailure(start, 'failed'));
}
