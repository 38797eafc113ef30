import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A page of the sandbox: one style sheet, no external resources. */
export type Page = {
  title: string;
  main: string;
  /** A page in a frame sends messages to this origin. */
  frame?: { parentOrigin: string | null };
  script?: string;
};

const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; color: light-dark(#16181d, #eceef2); background: light-dark(#fff, #131417); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 32rem; margin: auto; padding: 1rem 4px; }
h1 { font-size: 1.5rem; margin: 0; }
fieldset { border: 0; padding: 0; margin: 1rem 0; }
label { display: block; margin-top: .75rem; }
input, select, button { font: inherit; max-width: 100%; min-height: 2.75rem; }
input:not([type=radio], [type=checkbox]), select, button { width: 100%; padding: 0 .75rem; border: 1px solid #7c828d; border-radius: 6px; color: inherit; background: light-dark(#fff, #131417); }
[type=submit] { color: light-dark(#fff, #16181d); background: light-dark(#16181d, #eceef2); font-weight: 600; }
[type=radio], [type=checkbox] { min-height: 1.5rem; width: 1.5rem; vertical-align: middle; }
a { display: inline-block; padding: .5rem 0; }
summary { padding: .5rem 0; }
button { margin-top: .5rem; }
.pay { position: sticky; bottom: 0; padding: .5rem 0; background: light-dark(#fff, #131417); }
html { scroll-padding-bottom: 6rem; }
.error { color: light-dark(#b3261e, #ff9d94); margin: 0; }
`;

export function sendPage(response: ServerResponse, status: number, page: Page): void {
  const nonce = randomBytes(16).toString('base64');
  // No form-action: Chrome applies it to the redirect after the form as well, which leads to our pages.
  const policy = [
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; img-src data:`,
    "base-uri 'none'",
    ...(page.frame ? [] : ["frame-ancestors 'none'"]),
  ];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body${page.frame ? ` data-parent="${page.frame.parentOrigin ?? ''}"` : ''}>
<main>${page.main}</main>
${page.script === undefined ? '' : `<script nonce="${nonce}">${page.script}</script>`}
</body>
</html>`);
}

export const missingPage: Page = {
  title: 'Not found',
  main: '<h1>This page does not exist</h1><p>Start again from the page that sent you here.</p>',
};

/** A form whose buttons send one answer each. */
export function renderChoices(choices: { [answer: string]: string }): string {
  const buttons = Object.entries(choices).map(
    ([answer, label]) => `<button name="answer" value="${answer}">${label}</button>`,
  );
  return `<form method="post">${buttons.join('')}</form>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
