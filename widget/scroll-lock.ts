/** Stops the page behind the overlay from scrolling, without a jump. Returns a function that restores it exactly. */
export function lockScroll(): () => void {
  const root = document.documentElement;
  const hasScrollbar = window.innerWidth > root.clientWidth;
  const undo = [
    override(root, { overflow: 'hidden', ...(hasScrollbar && { 'scrollbar-gutter': 'stable' }) }),
  ];
  // iOS scrolls the page behind a dialog unless its body is fixed.
  const top = window.scrollY;
  const fixed = /iP(hone|ad|od)/.test(navigator.userAgent);
  if (fixed)
    undo.push(override(document.body, { position: 'fixed', top: `${-top}px`, left: '0', right: '0' }));
  return () => {
    for (const restore of undo) restore();
    if (fixed) window.scrollTo(0, top);
  };
}

/** Sets inline styles and returns a function that restores the previous ones. */
function override(element: HTMLElement, declarations: Record<string, string>): () => void {
  const { style } = element;
  const hadAttribute = element.hasAttribute('style');
  const text = style.cssText;
  // Setting `overflow` overwrites `overflow-x` and `overflow-y`.
  const names = [...Object.keys(declarations), 'overflow-x', 'overflow-y'];
  const before = names.map(
    (name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)] as const,
  );
  for (const [name, value] of Object.entries(declarations)) style.setProperty(name, value, 'important');
  const overridden = style.cssText;

  return () => {
    if (style.cssText === overridden) style.cssText = text;
    else {
      // The page changed its style in the meantime: remove only ours.
      for (const [name] of before) style.removeProperty(name);
      for (const [name, value, priority] of before) if (value) style.setProperty(name, value, priority);
    }
    // Read it first: Chromium does not remove an attribute it has not serialized yet.
    if (!hadAttribute && element.getAttribute('style') === '') element.removeAttribute('style');
  };
}
