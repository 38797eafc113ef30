'use client';

import { type ReactNode, useSyncExternalStore } from 'react';
import { Button } from '@/app/_ui/button';
import { Section } from '@/app/_ui/section';

type Props = {
  partnerId: string;
  /** Only once the app works; until then the steps are the page. */
  isActive: boolean;
  description: string;
  children: ReactNode;
};

const DISMISSED = 'svc-get-started-dismissed';

/** The steps of an app, until they are dismissed in this browser. */
export function Dismissable({ partnerId, isActive, description, children }: Props) {
  const name = `${DISMISSED} ${partnerId}`;
  const isDismissed = useSyncExternalStore(
    subscribe,
    () => isActive && readItem(name) !== null,
    () => false,
  );
  if (isDismissed) return null;
  return (
    <Section
      title="Get started"
      description={description}
      flush
      actions={
        isActive && (
          <Button look="quiet" size="small" onClick={() => dismiss(name)}>
            Dismiss
          </Button>
        )
      }
    >
      {children}
    </Section>
  );
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener(DISMISSED, onChange);
  return () => window.removeEventListener(DISMISSED, onChange);
}

/** A browser may refuse its storage. */
function readItem(name: string): string | null {
  try {
    return window.localStorage.getItem(name);
  } catch {
    return null;
  }
}

function dismiss(name: string): void {
  try {
    window.localStorage.setItem(name, '1');
  } catch {
    return;
  }
  window.dispatchEvent(new Event(DISMISSED));
}
