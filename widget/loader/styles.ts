/** Of no specificity: a class of the page overrides all of it. */
const STYLES = `
:where(.svc-button) {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5em;
  min-height: 2.75em; padding: 0 1.1em; border: 1px solid transparent; border-radius: var(--svc-radius, 0.5em);
  background: var(--svc-accent, #2563eb); color: var(--svc-on-accent, #fff);
  font: inherit; font-weight: 600; line-height: 1.2; cursor: pointer;
}
:where(.svc-button:hover) { filter: brightness(0.92); }
:where(.svc-button:focus-visible) { outline: 2px solid var(--svc-focus, var(--svc-accent, #2563eb)); outline-offset: 2px; }
:where(.svc-button:disabled) { opacity: 0.6; cursor: default; }
:where(.svc-button svg) { width: 1.25em; height: 1.25em; flex: none; }
:where(.svc-figure) { font-variant-numeric: tabular-nums; white-space: nowrap; }
:where(.svc-problem) { display: block; margin-top: 0.4em; font-size: 0.9em; color: var(--svc-danger, inherit); }
@media (forced-colors: active) { :where(.svc-button) { border-color: ButtonText; } }`;

let isAdded = false;

/** As a sheet of the document, which a Content-Security-Policy without 'unsafe-inline' allows. */
export function addStyles(): void {
  if (isAdded || typeof document === 'undefined' || !('adoptedStyleSheets' in document)) return;
  isAdded = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets];
}
