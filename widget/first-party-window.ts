import type { Display } from './api';
import type { OpenerPolicy } from './opener-policy';
import type { Surface } from './surface';

const LOOK_MS = 500;
const PATIENCE_MS = 4000;
const ADOPTION_MS = 10_000;
const WIDTH = 460;
const HEIGHT = 740;

type Wishes = {
  display: Display;
  url: string;
  policy: () => OpenerPolicy;
  onClosed(): void;
  /** The window is there but cannot talk to this page. */
  onLost(): void;
};

/** A popup or a tab on the checkout's own site; the reason when the browser would not have it. */
export function openFirstPartyWindow({ display, url, policy, onClosed, onLost }: Wishes): Surface | string {
  if (policy() === 'cuts') {
    return 'this page sends "Cross-Origin-Opener-Policy: same-origin", which cuts windows off; "same-origin-allow-popups" keeps them';
  }
  if (navigator.userActivation?.isActive === false)
    return `display "${display}" needs open() inside the user's click`;
  // No name: a named window could be somebody else's already.
  const opened = window.open(url, '_blank', display === 'popup' ? popupFeatures() : '');
  if (opened === null) return 'the browser blocked the window';

  let isGreeted = false;
  const openedAt = Date.now();
  return watchWindow({
    peer: () => opened,
    onGreeted() {
      isGreeted = true;
    },
    look() {
      const isCut = policy() === 'cuts' || (policy() === 'unknown' && isOverdue(opened, openedAt));
      if (!isGreeted && isCut) onLost();
      else if (opened.closed) onClosed();
    },
  });
}

/** The window of an opening that began before this page was loaded again: it is known when it speaks. */
export function adoptWindow({
  onClosed,
  onSilence,
}: {
  onClosed(): void;
  /** It did not speak: closed meanwhile, or on its way elsewhere. */
  onSilence(): void;
}): Surface {
  let adopted: Window | null = null;
  const reloadedAt = Date.now();
  return watchWindow({
    peer: (source) => {
      adopted ??= source ?? null;
      return adopted;
    },
    onGreeted() {},
    look() {
      if (adopted?.closed) onClosed();
      else if (!adopted && Date.now() - reloadedAt > ADOPTION_MS) onSilence();
    },
  });
}

type Watched = { peer(source?: Window): Window | null; onGreeted(): void; look(): void };

function watchWindow({ peer, onGreeted, look }: Watched): Surface {
  const timer = setInterval(look, LOOK_MS);
  return {
    isOverlay: () => false,
    isPeer: (source) => peer(source) === source,
    reveal: onGreeted,
    focus: () => peer()?.focus(),
    isOpen: () => peer()?.closed === false,
    remove() {
      clearInterval(timer);
      peer()?.close();
    },
  };
}

/** A window that was cut off seems closed, or stays silent. */
function isOverdue(opened: Window, openedAt: number): boolean {
  return opened.closed || Date.now() - openedAt > PATIENCE_MS;
}

function popupFeatures(): string {
  const left = Math.round(window.screenX + (window.outerWidth - WIDTH) / 2);
  const top = Math.round(window.screenY + (window.outerHeight - HEIGHT) / 3);
  return `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${Math.max(0, top)}`;
}
