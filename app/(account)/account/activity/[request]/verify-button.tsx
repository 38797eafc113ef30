'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { type ShownReceipt, type Verification, verifyReceipt } from './verify-receipt';

type Outcome = Verification | 'unreachable';

const WORDS: Record<Outcome, { kind: 'positive' | 'danger' | 'warning'; text: string }> = {
  verified: {
    kind: 'positive',
    text: 'Verified in your browser: the signature is valid and covers this request and this charge.',
  },
  failed: {
    kind: 'danger',
    text: 'Failed: the signature does not match this receipt. Keep a copy and contact the service.',
  },
  unsupported: { kind: 'warning', text: 'Your browser cannot check Ed25519 signatures.' },
  unreachable: { kind: 'warning', text: 'The public keys could not be loaded. Try again.' },
};

/** Checks the signature with the published keys. Nothing of the receipt leaves the browser. */
export function VerifyButton({ signed, shown }: { signed: string; shown: ShownReceipt }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    setOutcome(await fetchAndVerify(signed, shown));
    setBusy(false);
  };
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button look="secondary" size="small" busy={isBusy} onClick={() => void verify()}>
          Verify
        </Button>
        <PageLink href="/docs/verify" className="text-muted underline">
          How to verify it yourself
        </PageLink>
      </div>
      {outcome !== null && (
        <div className="mt-3">
          <Notice kind={WORDS[outcome].kind}>{WORDS[outcome].text}</Notice>
        </div>
      )}
    </div>
  );
}

async function fetchAndVerify(signed: string, shown: ShownReceipt): Promise<Outcome> {
  try {
    const response = await fetch('/.well-known/jwks.json');
    if (!response.ok) return 'unreachable';
    const { keys } = await response.json();
    return await verifyReceipt(signed, keys, shown);
  } catch {
    return 'unreachable';
  }
}
