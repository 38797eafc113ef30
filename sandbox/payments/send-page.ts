import type { ServerResponse } from 'node:http';

/** Sends a page whose form leads back to ours. */
export function sendPage(response: ServerResponse, status: number, html: string, nonce: string): void {
  // No form-action: Chrome applies it to the redirect after the form as well, which leads to our pages.
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
}
