'use client';

import { PasskeyButton } from '@/app/_session/passkey-button';

export function GoOn({ returnTo }: { returnTo: string }) {
  return (
    <PasskeyButton look="primary" label="Use a passkey" onDone={() => window.location.assign(returnTo)} />
  );
}
