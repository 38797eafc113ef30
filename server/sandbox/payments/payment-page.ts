import type Stripe from 'stripe';
import { nowDate } from '../../clock';
import { TEST_ACCOUNTS } from './bank-debits';
import { asksForCountry, asksForTerms, type BuyerField, TAX_COUNTRIES } from './buyer-details';
import { TEST_CARDS } from './cards';
import { formatMoney } from './money-text';
import { PAGE_SCRIPT } from './payment-page-script';
import { PAGE_STYLE } from './payment-page-style';
import type { SessionRecord } from './records';

export type PageOptions = { nonce: string; theme: 'light' | 'dark' | null } & (
  | { chrome: 'hosted' }
  | { chrome: 'framed'; parentOrigin: string | null }
);

/** The same card form, as a page of its own or framed in a checkout. */
export function renderPaymentPage(record: SessionRecord, options: PageOptions): string {
  const { session } = record;
  const body = session.status === 'open' ? renderOpen(record) : renderClosed(session);
  return renderDocument(`Pay ${priceOf(session)}`, options, {
    main: `${options.chrome === 'hosted' ? renderTop(session) : ''}
      <div class="sheet">${renderSummary(record)}<section class="panel">${body}</section></div>`,
    config: {
      framed: options.chrome === 'framed',
      parentOrigin: options.chrome === 'framed' ? options.parentOrigin : null,
      action: options.chrome === 'hosted' ? `/pay/${session.id}` : `/embed/${session.client_secret ?? ''}`,
      payLabel: `Pay ${priceOf(session)}`,
      asks: asksOf(session),
      testExpiry: `12 / ${String((nowDate().getUTCFullYear() + 4) % 100).padStart(2, '0')}`,
    },
  });
}

export function renderMissingPage(options: PageOptions): string {
  const main = `<div class="sheet"><section class="panel">${renderNotice('muted', CROSS, 'This payment page does not exist', 'The link may be incomplete. Start again from the page that sent you here.')}</section></div>`;
  return renderDocument('Not found', options, {
    main,
    config: { framed: options.chrome === 'framed', parentOrigin: null },
  });
}

const CHECK = '<path d="M5 12.5l4.5 4.5L19 7.5"/>';
const CROSS = '<path d="M7 7l10 10M17 7L7 17"/>';
const icon = (path: string) =>
  `<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

function renderDocument(title: string, options: PageOptions, page: { main: string; config: object }): string {
  return `<!doctype html>
<html lang="en"${options.theme === null ? '' : ` data-theme="${options.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${options.nonce}">${PAGE_STYLE}</style>
</head>
<body class="${options.chrome}">
<main>${page.main}</main>
<script type="application/json" id="config">${escapeScript(page.config)}</script>
<script nonce="${options.nonce}">${PAGE_SCRIPT}</script>
</body>
</html>`;
}

function renderTop(session: Stripe.Checkout.Session): string {
  const back =
    session.cancel_url === null || session.status !== 'open'
      ? '<span></span>'
      : `<a class="back" href="${escapeHtml(session.cancel_url)}">← Cancel and go back</a>`;
  return `<div class="top">${back}<span class="badge">Sandbox</span></div>`;
}

function renderSummary({ session, lineItems }: SessionRecord): string {
  const merchant = session.branding_settings?.display_name ?? '';
  const items = lineItems.map(
    (item) =>
      `<li><span>${escapeHtml(item.description ?? '')}${
        (item.quantity ?? 1) > 1 ? `<small>Quantity ${item.quantity}</small>` : ''
      }</span><span class="price">${formatMoney(item.amount_total, item.currency)}</span></li>`,
  );
  return `<section class="summary" aria-label="Order summary">
    <p class="merchant">${merchant === '' ? 'Amount due' : `Pay ${escapeHtml(merchant)}`}</p>
    <h1 class="amount">${priceOf(session)}</h1>
    <p class="product">${lineItems.map((item) => escapeHtml(item.description ?? '')).join(', ')}</p>
    <ul class="items">${items.join('')}<li class="total"><span>Total</span><span class="total">${priceOf(session)}</span></li></ul>
    ${asksForCountry(session) ? '<p class="hint">Tax is included.</p>' : ''}
  </section>`;
}

function renderOpen({ session }: SessionRecord): string {
  return `<div data-step id="pay-step">
    <fieldset class="methods"><legend class="hidden">Payment method</legend>
      <label><input type="radio" name="method" value="card" checked> Card</label>
      <label><input type="radio" name="method" value="bank"> Bank debit</label>
    </fieldset>
    <form id="card-form" novalidate autocomplete="on" aria-label="Card payment">
      ${renderField('number', 'Card number', 'autocomplete="cc-number" inputmode="numeric" placeholder="1234 1234 1234 1234" maxlength="29"')}
      <div class="row">
        ${renderField('expiry', 'Expiry', 'autocomplete="cc-exp" inputmode="numeric" placeholder="MM / YY"')}
        ${renderField('cvc', 'CVC', 'autocomplete="cc-csc" inputmode="numeric" placeholder="123"')}
      </div>
      ${renderField('name', 'Name on card', 'autocomplete="cc-name" autocapitalize="words" maxlength="200"')}
      ${renderBuyerFields(session, 'card')}
      ${renderPayButton(session)}
    </form>
    <form id="bank-form" novalidate autocomplete="off" aria-label="Bank debit" hidden>
      ${renderField('iban', 'Account number (IBAN)', 'placeholder="AT61 1904 3002 3457 3201" maxlength="60"')}
      ${renderField('holder', 'Account holder', 'autocapitalize="words" maxlength="200"')}
      <p class="hint">The bank decides later: a real one takes some days.</p>
      ${renderBuyerFields(session, 'bank')}
      ${renderPayButton(session)}
    </form>
    ${renderSandboxNote()}
    ${renderTestAccounts()}
    <noscript><p class="error">This page needs JavaScript to take a payment.</p></noscript>
  </div>
  ${renderChallenge(session)}
  <div data-step id="done" hidden>${renderNotice('', CHECK, 'Payment complete', `You paid ${priceOf(session)}.`)}</div>
  <div data-step id="sent" hidden>${renderNotice('', CHECK, 'Payment sent', 'Your bank decides soon. You can close this page.')}</div>`;
}

function renderField(id: string, label: string, attributes: string): string {
  return `<div class="field"><label for="${id}">${label}</label>
    <input id="${id}" name="${id}" type="text" ${attributes} spellcheck="false" required aria-describedby="${id}-error">
    <p class="error" id="${id}-error" aria-live="polite"></p></div>`;
}

function asksOf(session: Stripe.Checkout.Session): BuyerField[] {
  return [
    ...(asksForCountry(session) ? ['country' as const] : []),
    ...(asksForTerms(session) ? ['terms' as const] : []),
  ];
}

/** Each form has its own, named after it. */
function renderBuyerFields(session: Stripe.Checkout.Session, form: 'card' | 'bank'): string {
  const options = TAX_COUNTRIES.map(({ code, label }) => `<option value="${code}">${label}</option>`);
  const fields: Record<BuyerField, string> = {
    country: `<div class="field"><label for="${form}-country">Country</label>
      <select id="${form}-country" autocomplete="country" required aria-describedby="${form}-country-error"><option value="">Choose…</option>${options.join('')}</select>
      <p class="error" id="${form}-country-error" aria-live="polite"></p></div>`,
    terms: `<div class="field"><label class="check"><input id="${form}-terms" type="checkbox" required aria-describedby="${form}-terms-error"> I accept the terms of service</label>
      <p class="error" id="${form}-terms-error" aria-live="polite"></p></div>`,
  };
  return asksOf(session)
    .map((field) => fields[field])
    .join('');
}

function renderSandboxNote(): string {
  const [main, ...others] = TEST_CARDS;
  const rows = others.map(
    ({ number, label }) =>
      `<li><button type="button" data-card="${number}"><span>${label}</span><span class="number">${groupDigits(number)}</span></button></li>`,
  );
  return `<aside class="sandbox" id="card-note" aria-label="Sandbox">
    <p><strong>Sandbox: no real money moves.</strong></p>
    <div class="fill-row"><span class="number">${groupDigits(main?.number ?? '')}</span>
    <button type="button" class="fill" data-card="${main?.number ?? ''}">Fill in test card</button></div>
    <details><summary>More test cards</summary><ul class="cards">${rows.join('')}</ul></details>
  </aside>`;
}

function renderPayButton(session: Stripe.Checkout.Session): string {
  return `<div class="alert" role="alert"></div>
      <button class="button primary" type="submit"><span class="spinner" aria-hidden="true"></span><span data-pay-label>Pay ${priceOf(session)}</span></button>`;
}

function renderTestAccounts(): string {
  const rows = TEST_ACCOUNTS.map(
    ({ iban, label }) =>
      `<li><button type="button" data-iban="${iban}"><span>${label}</span><span class="number">${groupDigits(iban)}</span></button></li>`,
  );
  return `<aside class="sandbox" id="bank-note" aria-label="Sandbox" hidden>
    <p><strong>Sandbox: no real money moves.</strong></p><ul class="cards">${rows.join('')}</ul>
  </aside>`;
}

function renderChallenge(session: Stripe.Checkout.Session): string {
  return `<div data-step id="challenge" class="step" hidden>
    <h2 tabindex="-1">Confirm it’s you</h2>
    <p>The test bank asks you to approve ${priceOf(session)} with the card ending in <span class="number" id="challenge-card"></span>. A real bank would show its own 3-D Secure page here.</p>
    <button type="button" class="button primary" data-challenge="complete">Complete authentication</button>
    <button type="button" class="button secondary" data-challenge="fail">Fail authentication</button>
  </div>`;
}

function renderClosed(session: Stripe.Checkout.Session): string {
  if (session.status === 'complete') {
    return renderNotice(
      '',
      CHECK,
      'Payment complete',
      `${priceOf(session)} was paid. You can close this page.`,
      session.success_url?.replaceAll('{CHECKOUT_SESSION_ID}', session.id),
    );
  }
  return renderNotice(
    'muted',
    CROSS,
    'This payment has expired',
    'Nothing was charged. Go back and start again.',
    session.cancel_url,
  );
}

function renderNotice(
  tone: string,
  path: string,
  title: string,
  text: string,
  backUrl?: string | null,
): string {
  const back =
    backUrl === undefined || backUrl === null
      ? ''
      : `<a class="button secondary" href="${escapeHtml(backUrl)}">Go back</a>`;
  return `<div class="step done"><span class="mark ${tone}">${icon(path)}</span><h2 tabindex="-1">${title}</h2><p>${text}</p>${back}</div>`;
}

const priceOf = (session: Stripe.Checkout.Session): string =>
  formatMoney(session.amount_total ?? 0, session.currency ?? 'usd');
const groupDigits = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character);
}

/** JSON inside a script element must not be able to end it. */
function escapeScript(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
