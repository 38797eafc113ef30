/** Keeps the page behind the overlay still, without a jump, and gives back exactly what was there. */
export function lockScroll(): () => void {
  const root = document.documentElement;
  const undo = [remember(root)];
  if (window.innerWidth > root.clientWidth) root.style.setProperty('scrollbar-gutter', 'stable', 'important');
  root.style.setProperty('overflow', 'hidden', 'important');
  // iOS scrolls the page behind a dialog unless its body is fixed.
  const top = window.scrollY;
  const fixed = /iP(hone|ad|od)/.test(navigator.userAgent);
  if (fixed) {
    undo.push(remember(document.body));
    const place = { position: 'fixed', top: `${-top}px`, left: '0', right: '0' };
    for (const [name, value] of Object.entries(place))
      document.body.style.setProperty(name, value, 'important');
  }
  return () => {
    for (const restore of undo) restore();
    if (fixed) window.scrollTo(0, top);
  };
}

const TOUCHED = [
  'overflow',
  'overflow-x',
  'overflow-y',
  'scrollbar-gutter',
  'position',
  'top',
  'left',
  'right',
];

function remember(element: HTMLElement): () => void {
  const { style } = element;
  const hadAttribute = element.hasAttribute('style');
  const before = TOUCHED.map(
    (name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)] as const,
  );
  return () => {
    for (const [name] of before) style.removeProperty(name);
    for (const [name, value, priority] of before) if (value) style.setProperty(name, value, priority);
    // Reading it first matters: Chromium forgets to remove an attribute it has not written out yet.
    if (!hadAttribute && element.getAttribute('style') === '') element.removeAttribute('style');
  };
}
