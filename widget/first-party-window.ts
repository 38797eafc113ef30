import type { Display } from './api';
import type { OpenerPolicy } from './opener-policy';
import type { Surface } from './surface';

const POLL_MS = 500;
const TIMEOUT_MS = 4000;
const ADOPTION_MS = 10_000;
const WIDTH = 460;
const HEIGHT = 740;

type Options = {
  display: Display;
  url: string;
  policy: () => OpenerPolicy;
  onClosed(): void;
  /** The window is open but cannot communicate with this page. */
  onLost(): void;
};

/** Opens a popup or a tab on the checkout's own site. Returns the reason if that is not possible. */
export function openFirstPartyWindow({ display, url, policy, onClosed, onLost }: Options): Surface | string {
  if (policy() === 'cuts') {
    return 'this page sends "Cross-Origin-Opener-Policy: same-origin", which disconnects windows; use "same-origin-allow-popups"';
  }
  if (navigator.userActivation?.isActive === false)
    return `display "${display}" requires calling open() inside the user's click`;
  // No name: a window of that name could already belong to another page.
  const opened = window.open(url, '_blank', display === 'popup' ? popupFeatures() : '');
  if (opened === null) return 'the browser blocked the window';

  let isGreeted = false;
  const openedAt = Date.now();
  return watchWindow({
    peer: () => opened,
    onGreeted() {
      isGreeted = true;
    },
    poll() {
      const isDisconnected = policy() === 'cuts' || (policy() === 'unknown' && isOverdue(opened, openedAt));
      if (!isGreeted && isDisconnected) onLost();
      else if (opened.closed) onClosed();
    },
  });
}

/** The window of a visit that began before this page was reloaded. Its first message identifies it. */
export function adoptWindow({
  onClosed,
  onSilence,
}: {
  onClosed(): void;
  /** The window sent nothing: it was closed in the meantime, or has navigated away. */
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
    poll() {
      if (adopted?.closed) onClosed();
      else if (!adopted && Date.now() - reloadedAt > ADOPTION_MS) onSilence();
    },
  });
}

type Watched = { peer(source?: Window): Window | null; onGreeted(): void; poll(): void };

function watchWindow({ peer, onGreeted, poll }: Watched): Surface {
  const timer = setInterval(poll, POLL_MS);
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

/** A disconnected window looks closed, or stays silent. */
function isOverdue(opened: Window, openedAt: number): boolean {
  return opened.closed || Date.now() - openedAt > TIMEOUT_MS;
}

function popupFeatures(): string {
  const left = Math.round(window.screenX + (window.outerWidth - WIDTH) / 2);
  const top = Math.round(window.screenY + (window.outerHeight - HEIGHT) / 3);
  return `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${Math.max(0, top)}`;
}
