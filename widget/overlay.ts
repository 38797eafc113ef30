import { OVERLAY_STYLES } from './overlay-styles';
import { lockScroll } from './scroll-lock';
import type { Surface } from './surface';
import { textsIn } from './texts';

const TIMEOUT_MS = 12_000;

type Options = {
  url: string;
  serviceOrigin: string;
  /** The language that the app chose. */
  locale: string | null;
  /** Close button, Escape or backdrop. */
  onDismiss(): void;
  /** The page removed the overlay from its document. */
  onRemoved(): void;
};

/** Shows the checkout in a frame over the host page: a native modal dialog the page's styles cannot reach. */
export function openOverlay({ url, serviceOrigin, locale, onDismiss, onRemoved }: Options): Surface {
  const say = textsIn(locale);
  const returnFocusTo = findFocus();
  const host = createHost();
  const root = host.attachShadow({ mode: 'closed' });
  applyStyles(root);

  const dialog = element('dialog', { 'aria-labelledby': 'title' });
  const title = element('h2', { id: 'title', class: 'hidden' }, say.title);
  const close = element('button', { type: 'button', class: 'close', 'aria-label': say.close });
  close.append(crossIcon());
  const state = element('div', { class: 'state', role: 'status' });
  let frame = createFrame(url, say.title);
  let popup: Window | null = null;
  let timeout = 0;

  function load(): void {
    dialog.classList.remove('open');
    state.replaceChildren(element('div', { class: 'spinner' }), element('span', {}, say.loading));
    clearTimeout(timeout);
    timeout = window.setTimeout(() => {
      console.error(`[svc] ${url.split('#')[0]} does not respond.`);
      showSlow();
    }, TIMEOUT_MS);
  }

  function showSlow(): void {
    const retry = element('button', { type: 'button', class: 'action main' }, say.retry);
    const elsewhere = element('button', { type: 'button', class: 'action' }, say.window);
    retry.onclick = () => {
      const next = createFrame(url, say.title);
      frame.replaceWith(next);
      frame = next;
      load();
    };
    elsewhere.onclick = () => {
      popup = window.open(url, '_blank', 'popup,width=460,height=740');
      if (popup) showText(say.elsewhere, say.elsewhereHint);
    };
    showText(say.slow, say.slowHint);
    state.append(retry, elsewhere);
  }

  function showText(heading: string, hint: string): void {
    state.replaceChildren(element('h2', {}, heading), element('p', {}, hint));
  }

  close.onclick = onDismiss;
  dialog.oncancel = (event) => {
    event.preventDefault();
    onDismiss();
  };
  dialog.onclick = (event) => {
    if (event.target === dialog && isOutside(dialog, event)) onDismiss();
  };
  // Without a click in between, Chromium closes the dialog even if `cancel` is prevented: treat it as a dismissal.
  dialog.onclose = () => {
    if (!host.isConnected) return;
    dialog.showModal();
    onDismiss();
  };

  /** Warns the author of the page when its own policy blocks the checkout. */
  function onViolation({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void {
    if (!blockedURI.startsWith(serviceOrigin)) return;
    console.error(
      `[svc] This page's Content-Security-Policy blocks the checkout: add ${serviceOrigin} to ${effectiveDirective}.`,
    );
    if (effectiveDirective === 'frame-src') showSlow();
  }

  dialog.append(title, state, frame, close);
  root.append(dialog);
  document.addEventListener('securitypolicyviolation', onViolation);
  const parent = document.body ?? document.documentElement;
  parent.append(host);
  const watch = new MutationObserver(() => host.isConnected || onRemoved());
  for (const place of [document.documentElement, parent]) watch.observe(place, { childList: true });
  load();
  const unlockScroll = lockScroll();
  dialog.showModal();

  function reveal(isReady: boolean): void {
    clearTimeout(timeout);
    if (popup) return;
    dialog.classList.add('open');
    if (isReady) frame.focus();
  }
  // In a sandboxed page, the checkout has no origin and cannot send messages. The frame shows an explanation.
  if (window.origin === 'null') frame.onload = () => reveal(true);

  const peer = (): Window | null => (popup && !popup.closed ? popup : frame.contentWindow);
  return {
    isOverlay: () => popup === null,
    isPeer: (source) => source === peer(),
    reveal,
    focus: () => (popup && !popup.closed ? popup.focus() : frame.focus()),
    isOpen: () => host.isConnected,
    remove() {
      clearTimeout(timeout);
      watch.disconnect();
      document.removeEventListener('securitypolicyviolation', onViolation);
      host.remove();
      unlockScroll();
      popup?.close();
      returnFocusTo?.focus({ preventScroll: true });
    },
  };
}

/** The focused element, including inside the page's web components. */
function findFocus(): HTMLElement | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused instanceof HTMLElement ? focused : null;
}

function createHost(): HTMLElement {
  const host = document.createElement('div');
  // Inline and important, so that `* { all: unset !important }` on the page does not apply.
  host.style.setProperty('all', 'initial', 'important');
  host.style.setProperty('display', 'block', 'important');
  host.style.setProperty('position', 'absolute', 'important');
  return host;
}

function createFrame(url: string, title: string): HTMLIFrameElement {
  return element('iframe', {
    src: url,
    title,
    allow: 'payment *; publickey-credentials-get; clipboard-write; storage-access',
    referrerpolicy: 'origin',
  });
}

function applyStyles(root: ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(OVERLAY_STYLES);
  root.adoptedStyleSheets = [sheet];
}

function crossIcon(): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const attributes = { width: '16', height: '16', viewBox: '0 0 16 16', fill: 'none', 'aria-hidden': 'true' };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  path.setAttribute('d', 'M3.5 3.5l9 9m0-9l-9 9');
  path.setAttribute('stroke', 'currentColor');
  path.setAttribute('stroke-width', '1.75');
  path.setAttribute('stroke-linecap', 'round');
  svg.append(path);
  return svg;
}

function isOutside(dialog: HTMLElement, { clientX, clientY }: MouseEvent): boolean {
  const box = dialog.getBoundingClientRect();
  return clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  content?: string,
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  if (content !== undefined) created.textContent = content;
  return created;
}
