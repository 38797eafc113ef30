'use client';

import { useEffect, useRef, useState } from 'react';
import type { Issuer } from '@/server/people/issuers';
import type { Language } from '@/texts/languages';
import { Button } from '../../_ui/button';
import type { Messages } from '../messages';
import { type Api, RequestFailed, type SignedIn } from './api';

/** Where users sign in with an issuer: `window` is on the service's own origin. */
export type SignInWindow = { issuers: Issuer[]; window: string };

type Props = {
  say: Messages;
  language: Language;
  api: Api;
  signIn: SignInWindow;
  onSignedIn(result: SignedIn): Promise<void>;
  onOther(other: { email: string; change(): Promise<SignedIn> }): void;
  onFailed(failure: unknown): void;
};

const FEATURES = 'popup,width=460,height=740';

/** An issuer's pages allow no frame, so they open in a window, inside the click. It returns as a code does. */
export function IssuerWindows({ say, language, api, signIn, onSignedIn, onOther, onFailed }: Props) {
  const [opened, setOpened] = useState<Window | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function accept(token: string): Promise<void> {
    setBusy(true);
    try {
      const accepted = await api.acceptHandOver(token, false);
      if ('refused' in accepted) onOther({ email: accepted.email, change: () => take(api, token, true) });
      else await onSignedIn(await withState(api, accepted.sign_in_token));
    } catch (failure) {
      setBusy(false);
      onFailed(failure);
    }
  }

  useHandOver(opened, new URL(signIn.window).origin, (token) => void accept(token));
  if (signIn.issuers.length === 0) return null;
  return (
    <>
      <p className="my-3 text-center text-sm text-muted">{say.or}</p>
      <div className="grid gap-2">
        {signIn.issuers.map(({ provider, name }) => (
          <Button
            key={provider}
            look="secondary"
            size="large"
            busy={isBusy}
            className="w-full"
            onClick={() => {
              const found = window.open(
                `${signIn.window}&with=${provider}&locale=${language}`,
                '_blank',
                FEATURES,
              );
              setOpened(found);
              if (found === null) onFailed(say.windowBlocked);
            }}
          >
            {say.continueWith({ issuer: name })}
          </Button>
        ))}
      </div>
    </>
  );
}

/** Accepts the token from the window that we opened, while it shows a page of the service. */
function useHandOver(opened: Window | null, origin: string, onToken: (token: string) => void): void {
  const latest = useRef(onToken);
  latest.current = onToken;
  useEffect(() => {
    if (opened === null) return;
    function receive(event: MessageEvent<{ handOver?: unknown } | null>): void {
      const token = event.data?.handOver;
      if (event.source === opened && event.origin === origin && typeof token === 'string')
        latest.current(token);
    }
    window.addEventListener('message', receive);
    return () => window.removeEventListener('message', receive);
  }, [opened, origin]);
}

async function take(api: Api, token: string, changesAccount: boolean): Promise<SignedIn> {
  const accepted = await api.acceptHandOver(token, changesAccount);
  if ('refused' in accepted) throw new RequestFailed(accepted.refused, 'The account was not changed');
  return withState(api, accepted.sign_in_token);
}

const withState = async (api: Api, token: string): Promise<SignedIn> => ({
  sign_in_token: token,
  state: await api.readVisit(),
});
