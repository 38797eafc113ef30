/** The page's only style sheet: system fonts, no external resources. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f8, #0c0d10);
  --surface: light-dark(#ffffff, #131417);
  --field: light-dark(#ffffff, #131417);
  --line: light-dark(#b7bbc5, #4d5260);
  --hairline: light-dark(#e3e5ea, #2a2d34);
  --ink: light-dark(#16181d, #eceef2);
  --soft: light-dark(#5b616e, #9ba1ae);
  --faint: light-dark(#6b7180, #9096a4);
  --aside: light-dark(#fafbfc, #101114);
  --accent: light-dark(#4649c8, #9a9dff);
  --accent-strong: light-dark(#3a3db0, #b3b5ff);
  --on-accent: light-dark(#ffffff, #101114);
  --focus: light-dark(#4649c8, #9a9dff);
  --danger: light-dark(#b3261e, #ff9d94);
  --danger-surface: light-dark(#fdf1f0, #2c1917);
  --good: light-dark(#12784a, #57cf98);
  --note: light-dark(#f6f7f9, #1b1d21);
}
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; color: var(--ink); background: var(--surface);
  font: 400 .9375rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  -webkit-font-smoothing: antialiased;
}
h1, h2, p { margin: 0; }
button, input { font: inherit; color: inherit; letter-spacing: inherit; }

/* Hosted: summary and form side by side in one centered card. */
.hosted { background: var(--page); min-height: 100vh; display: grid; align-items: start; padding: 24px 16px 48px; }
.hosted main { width: 100%; max-width: 900px; margin: 0 auto; }
.hosted .sheet { background: var(--surface); border: 1px solid var(--hairline); border-radius: 16px; overflow: hidden; }
.hosted .summary { padding: 28px 24px 12px; border-bottom: 1px solid var(--hairline); background: var(--aside); }
.hosted .panel { padding: 24px; }
.top { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 44px; margin-bottom: 8px; }
.back { color: var(--soft); text-decoration: none; padding: 10px 8px 10px 0; border-radius: 8px; }
.back:hover { color: var(--ink); }
.badge { font-size: .75rem; font-weight: 600; color: var(--soft); border: 1px solid var(--line); border-radius: 999px; padding: 2px 10px; }
.summary .merchant { color: var(--soft); margin-bottom: 4px; }
.summary .amount { font-size: 2.25rem; line-height: 1.15; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.items { list-style: none; margin: 20px 0 0; padding: 0; }
.items li { display: flex; justify-content: space-between; gap: 16px; padding: 12px 0; border-top: 1px solid var(--hairline); }
.items .price, .total { font-variant-numeric: tabular-nums; white-space: nowrap; }
.items .total { font-weight: 600; }
@media (min-width: 760px) {
  .hosted { padding-top: 8vh; }
  .hosted .sheet { display: grid; grid-template-columns: 5fr 6fr; }
  .hosted .summary { padding: 40px; border-bottom: 0; border-right: 1px solid var(--hairline); }
  .hosted .panel { padding: 40px; }
  .hosted .items { margin-top: 32px; }
}

/* A message only. */
.hosted .sheet:has(> .panel:only-child) { display: block; max-width: 480px; margin: 0 auto; }

/* Framed: the form alone, without borders of its own. */
.framed { background: var(--surface); }
.framed .panel { padding: 4px; }
.framed .summary { display: flex; justify-content: space-between; align-items: baseline; gap: 16px; padding: 4px 4px 16px; }
.framed .summary .merchant, .framed .items { display: none; }
.framed .summary .amount { order: 2; font-size: 1.25rem; letter-spacing: -.01em; }
.framed .summary .product { color: var(--soft); min-width: 0; overflow-wrap: anywhere; }
.hosted .summary .product { display: none; }

.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.methods { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 8rem), 1fr)); gap: 10px; border: 0; margin: 0 0 18px; padding: 0; }
.methods label { display: flex; align-items: center; gap: 10px; min-height: 46px; margin: 0; padding: 10px 12px; border: 1px solid var(--line); border-radius: 10px; cursor: pointer; }
.methods label:hover { border-color: var(--soft); }
.methods label:has(:checked) { border-color: var(--focus); box-shadow: 0 0 0 1px var(--focus); }
.methods label:has(:focus-visible) { outline: 3px solid color-mix(in srgb, var(--focus) 70%, transparent); outline-offset: 2px; }
.methods input { width: 16px; height: 16px; min-height: 0; margin: 0; padding: 0; flex: none; accent-color: var(--focus); box-shadow: none; outline: none; }
.hint { color: var(--soft); font-size: .875rem; }
form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5rem), 1fr)); gap: 12px; align-items: start; }
label { display: block; font-size: .875rem; font-weight: 550; margin-bottom: 6px; }
input, select {
  width: 100%; min-height: 46px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 10px;
  background: var(--field); font-size: 1rem; font-variant-numeric: tabular-nums; transition: border-color .12s, box-shadow .12s;
}
input::placeholder { color: var(--faint); opacity: 1; }
input:hover, select:hover { border-color: var(--soft); }
input:focus, select:focus { outline: none; border-color: var(--focus); box-shadow: 0 0 0 3px color-mix(in srgb, var(--focus) 28%, transparent); }
:is(input, select)[aria-invalid=true] { border-color: var(--danger); }
:is(input, select)[aria-invalid=true]:focus { box-shadow: 0 0 0 3px color-mix(in srgb, var(--danger) 25%, transparent); }
.check { display: flex; align-items: center; gap: 10px; min-height: 44px; margin: 0; cursor: pointer; }
.check input { width: 20px; height: 20px; min-height: 0; margin: 0; flex: none; accent-color: var(--focus); }
.error { color: var(--danger); font-size: .875rem; line-height: 1.4; margin-top: 6px; }
.error:empty { display: none; }
.alert { display: flex; gap: 10px; color: var(--danger); background: var(--danger-surface); border-radius: 10px; padding: 11px 14px; font-size: .875rem; }
.alert:empty { display: none; }

.button {
  display: inline-flex; align-items: center; justify-content: center; gap: 10px; width: 100%; min-height: 48px; padding: 10px 16px;
  border: 1px solid transparent; border-radius: 10px; font-weight: 600; font-size: 1rem; cursor: pointer; text-decoration: none;
}
.primary { color: var(--on-accent); background: var(--accent); transition: background .12s; }
.primary:hover { background: var(--accent-strong); }
.secondary { color: var(--ink); background: transparent; border-color: var(--line); }
.secondary:hover { border-color: var(--soft); }
.button[aria-disabled=true] { cursor: default; opacity: .75; }
:is(button, a, summary):focus-visible { outline: 3px solid color-mix(in srgb, var(--focus) 70%, transparent); outline-offset: 2px; }
.spinner { width: 18px; height: 18px; border-radius: 50%; border: 2px solid currentColor; border-right-color: transparent; animation: turn .8s linear infinite; }
.button:not([aria-busy=true]) .spinner { display: none; }
@keyframes turn { to { transform: rotate(1turn); } }

.sandbox { margin-top: 20px; padding: 13px 14px; border-radius: 12px; background: var(--note); font-size: .875rem; color: var(--soft); }
.sandbox strong { color: var(--ink); font-weight: 600; }
.sandbox .fill-row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 12px; margin-top: 4px; }
.number { font-variant-numeric: tabular-nums; color: var(--ink); }
.fill { border: 1px solid var(--line); border-radius: 8px; background: var(--surface); color: var(--ink); padding: 6px 12px; min-height: 36px; font-size: .875rem; font-weight: 550; cursor: pointer; }
.fill:hover { border-color: var(--soft); }
details { margin-top: 10px; }
summary { cursor: pointer; min-height: 28px; display: inline-flex; align-items: center; gap: 6px; border-radius: 6px; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: ''; width: 6px; height: 6px; border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); transition: transform .12s; margin: 0 4px 0 2px; }
details[open] summary::before { transform: rotate(45deg); }
summary:hover { color: var(--ink); }
.cards { list-style: none; margin: 4px 0 0; padding: 0; font-size: .8125rem; }
.cards button { width: 100%; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 8px; align-items: center; min-height: 40px; padding: 6px 0; border: 0; border-top: 1px solid var(--hairline); background: none; cursor: pointer; text-align: left; }
.cards button:hover { color: var(--ink); }
.cards li:first-child button { border-top: 0; }

.step { display: grid; gap: 12px; justify-items: start; }
.step :is(h1, h2) { font-size: 1.25rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; outline: none; }
.step p { color: var(--soft); }
.step .button { margin-top: 4px; }
.done { justify-items: center; text-align: center; padding: 24px 0; }
.mark { width: 48px; height: 48px; border-radius: 50%; display: grid; place-items: center; color: var(--good); background: color-mix(in srgb, var(--good) 14%, transparent); }
.mark.muted { color: var(--soft); background: var(--note); }
@media (prefers-reduced-motion: reduce) { *, *::before { transition: none !important; } .spinner { animation-duration: 2.4s; } }
`;
