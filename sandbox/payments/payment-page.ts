import { nowDate } from '../../server/base/clock';
import { TEST_ACCOUNTS } from './bank-debits';
import { asksForBusiness, BUSINESS_FIELDS, type BusinessField } from './business';
import { asksForCountry, asksForTerms, type BuyerField, TAX_COUNTRIES } from './buyer-details';
import { TEST_CARDS } from './cards';
import type { Session } from './objects';
import { type PageLanguage, type Words, wordsIn } from './page-words';
import { offersSaving } from './pay-session';
import { PAGE_SCRIPT } from './payment-page-script';
import { PAGE_STYLE } from './payment-page-style';
import type { SessionRecord } from './records';
import type { PaymentMethod } from './saved-cards';

export type PageOptions = { nonce: string; theme: 'light' | 'dark' | null; language: PageLanguage } & (
  | { chrome: 'hosted' }
  | { chrome: 'framed'; parentOrigin: string | null }
);

/** The payment form, as a hosted page or framed in a checkout. */
export function renderPaymentPage(
  record: SessionRecord,
  saved: readonly PaymentMethod[],
  options: PageOptions,
): string {
  const { session } = record;
  const words = wordsIn(options.language);
  const payLabel = words.say('Pay {price}', { price: priceOf(session, words) });
  const body = session.status === 'open' ? renderOpen(record, saved, words) : renderClosed(session, words);
  return renderDocument(payLabel, options, {
    main: `${options.chrome === 'hosted' ? renderTop(session, words) : ''}
      <div class="sheet">${renderSummary(record, words)}<section class="panel">${body}</section></div>`,
    config: {
      framed: options.chrome === 'framed',
      parentOrigin: options.chrome === 'framed' ? options.parentOrigin : null,
      action: options.chrome === 'hosted' ? `/pay/${session.id}` : `/embed/${session.client_secret ?? ''}`,
      payLabel,
      busyLabel: words.say('Processing…'),
      unsent: words.say('We couldn’t send the payment. Check your connection and try again.'),
      asks: asksOf(session),
      cardFields: ['number', 'expiry', 'cvc', 'name', ...(offersSaving(session) ? ['save'] : [])],
      testExpiry: `12 / ${String((nowDate().getUTCFullYear() + 4) % 100).padStart(2, '0')}`,
    },
  });
}

/** The 3-D Secure page of the bank, where a payment with a saved card, or its preparation, is confirmed. */
export function renderBankPage(
  payment: { amount: number; currency: string } | null,
  options: PageOptions,
): string {
  const words = wordsIn(options.language);
  const { say } = words;
  const text = payment
    ? say('The test bank asks you to approve {price}. A real bank would show its own 3-D Secure page here.', {
        price: words.money(payment.amount, payment.currency),
      })
    : say(
        'The test bank asks you to approve this card. A real bank would show its own 3-D Secure page here.',
      );
  const main = `<div class="sheet"><section class="panel"><form method="post" class="step">
    <h1>${say('Confirm it’s you')}</h1><p>${text}</p>
    <button class="button primary" name="answer" value="complete">${say('Complete authentication')}</button>
    <button class="button secondary" name="answer" value="fail">${say('Fail authentication')}</button>
  </form></section></div>`;
  return renderDocument(say('Confirm it’s you'), options, {
    main,
    config: { framed: false, parentOrigin: null },
  });
}

export function renderMissingPage(options: PageOptions): string {
  const words = wordsIn(options.language);
  const notice = renderNotice(words, {
    tone: 'muted',
    path: CROSS,
    title: words.say('This payment page does not exist'),
    text: words.say('The link may be incomplete. Start again from the page that sent you here.'),
    heading: 'h1',
  });
  const main = `<div class="sheet"><section class="panel">${notice}</section></div>`;
  return renderDocument(words.say('Not found'), options, {
    main,
    config: { framed: options.chrome === 'framed', parentOrigin: null },
  });
}

const CHECK = '<path d="M5 12.5l4.5 4.5L19 7.5"/>';
const CROSS = '<path d="M7 7l10 10M17 7L7 17"/>';
const icon = (path: string) =>
  `<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

export function renderDocument(
  title: string,
  options: PageOptions,
  page: { main: string; config: object },
): string {
  return `<!doctype html>
<html lang="${options.language}"${options.theme === null ? '' : ` data-theme="${options.theme}"`}>
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

function renderTop(session: Session, { say }: Words): string {
  const back =
    session.cancel_url === null || session.status !== 'open'
      ? '<span></span>'
      : `<a class="back" href="${escapeHtml(session.cancel_url)}">← ${say('Cancel and go back')}</a>`;
  return `<div class="top">${back}<span class="badge">Sandbox</span></div>`;
}

function renderSummary({ session, product }: SessionRecord, words: Words): string {
  const { say } = words;
  const name = escapeHtml(product);
  const price = priceOf(session, words);
  return `<section class="summary" aria-label="${say('Order summary')}">
    <p class="merchant">${say('Amount due')}</p>
    <h1 class="amount">${price}</h1>
    <p class="product">${name}</p>
    <ul class="items"><li><span>${name}</span><span class="price">${price}</span></li><li class="total"><span>${say('Total')}</span><span class="total">${price}</span></li></ul>
    ${asksForCountry(session) ? `<p class="hint">${say('Tax is included.')}</p>` : ''}
  </section>`;
}

function renderOpen({ session }: SessionRecord, saved: readonly PaymentMethod[], words: Words): string {
  const { say } = words;
  const price = priceOf(session, words);
  const done = {
    tone: '',
    path: CHECK,
    title: say('Payment complete'),
    text: say('You paid {price}.', { price }),
  };
  const sent = {
    tone: '',
    path: CHECK,
    title: say('Payment sent'),
    text: say('Your bank will process it shortly. You can close this page.'),
  };
  return `<div data-step id="pay-step">
    <fieldset class="methods"><legend class="hidden">${say('Payment method')}</legend>
      <label><input type="radio" name="method" value="card" checked> ${say('Card')}</label>
      <label><input type="radio" name="method" value="bank"> ${say('Bank debit')}</label>
    </fieldset>
    ${renderSavedCards(session, saved, words)}
    <form id="card-form" novalidate autocomplete="on" aria-label="${say('Card payment')}">
      ${renderField('number', say('Card number'), 'autocomplete="cc-number" inputmode="numeric" placeholder="1234 1234 1234 1234" maxlength="29"')}
      <div class="row">
        ${renderField('expiry', say('Expiry'), `autocomplete="cc-exp" inputmode="numeric" placeholder="${say('MM / YY')}"`)}
        ${renderField('cvc', say('CVC'), 'autocomplete="cc-csc" inputmode="numeric" placeholder="123"')}
      </div>
      ${renderField('name', say('Name on card'), 'autocomplete="cc-name" autocapitalize="words" maxlength="200"')}
      ${renderBuyerFields(session, 'card', words)}
      ${renderSaveBox(session, words)}
      ${renderPayButton(session, words)}
    </form>
    <form id="bank-form" novalidate autocomplete="off" aria-label="${say('Bank debit')}" hidden>
      ${renderField('iban', say('Account number (IBAN)'), 'placeholder="AT61 1904 3002 3457 3201" maxlength="60"')}
      ${renderField('holder', say('Account holder'), 'autocapitalize="words" maxlength="200"')}
      <p class="hint">${say('Bank debits are confirmed later. A real bank takes a few days.')}</p>
      ${renderBuyerFields(session, 'bank', words)}
      ${renderPayButton(session, words)}
    </form>
    ${renderSandboxNote(words)}
    ${renderTestAccounts(words)}
    <noscript><p class="error">${say('This page needs JavaScript to take a payment.')}</p></noscript>
  </div>
  ${renderChallenge(session, words)}
  <div data-step id="done" hidden>${renderNotice(words, done)}</div>
  <div data-step id="sent" hidden>${renderNotice(words, sent)}</div>`;
}

function renderField(id: string, label: string, attributes: string): string {
  return `<div class="field"><label for="${id}">${label}</label>
    <input id="${id}" name="${id}" type="text" ${attributes} spellcheck="false" required aria-describedby="${id}-error">
    <p class="error" id="${id}-error" aria-live="polite"></p></div>`;
}

function asksOf(session: Session): BuyerField[] {
  return [
    ...(asksForCountry(session) ? ['country' as const] : []),
    ...(asksForTerms(session) ? ['terms' as const] : []),
    ...(asksForBusiness(session) ? BUSINESS_FIELDS.map(({ name }) => name) : []),
  ];
}

/** Each form has its own fields, prefixed with its name. */
function renderBuyerFields(session: Session, form: 'card' | 'bank', { say }: Words): string {
  const options = TAX_COUNTRIES.map(({ code, label }) => `<option value="${code}">${say(label)}</option>`);
  const fields: Record<Exclude<BuyerField, BusinessField>, string> = {
    country: `<div class="field"><label for="${form}-country">${say('Country')}</label>
      <select id="${form}-country" autocomplete="country" required aria-describedby="${form}-country-error"><option value="">${say('Choose…')}</option>${options.join('')}</select>
      <p class="error" id="${form}-country-error" aria-live="polite"></p></div>`,
    terms: `<div class="field"><label class="check"><input id="${form}-terms" type="checkbox" required aria-describedby="${form}-terms-error"> ${say('I accept the terms of service')}</label>
      <p class="error" id="${form}-terms-error" aria-live="polite"></p></div>`,
  };
  return [
    asksForCountry(session) ? fields.country : '',
    asksForBusiness(session) ? renderBusiness(form, say) : '',
    asksForTerms(session) ? fields.terms : '',
  ].join('');
}

function renderBusiness(form: 'card' | 'bank', say: Words['say']): string {
  const fields = BUSINESS_FIELDS.map(({ name, label, autocomplete }) => {
    const id = `${form}-${name}`;
    return `<div class="field"><label for="${id}">${say(label)}</label>
      <input id="${id}" type="text" autocomplete="${autocomplete}" maxlength="200" aria-describedby="${id}-error">
      <p class="error" id="${id}-error" aria-live="polite"></p></div>`;
  });
  return `<details class="business"><summary>${say('I’m buying as a business')}</summary>${fields.join('')}</details>`;
}

/** Each saved card is a button that pays with it, and may be removed. */
function renderSavedCards(session: Session, saved: readonly PaymentMethod[], { say }: Words): string {
  const canRemove = session.saved_payment_method_options?.payment_method_remove === 'enabled';
  const rows = saved.map(({ id, card: { brand, last4 } }) => {
    const name = `${brand.charAt(0).toUpperCase()}${brand.slice(1)} •••• ${last4}`;
    const remove = `<button type="button" class="fill" data-remove="${id}">${say('Remove {card}', { card: name })}</button>`;
    return `<div class="fill-row"><button type="button" class="fill" data-saved="${id}">${say('Pay with {card}', { card: name })}</button>${canRemove ? remove : ''}</div>`;
  });
  return rows.length === 0 ? '' : `<div id="saved-cards">${rows.join('')}</div>`;
}

function renderSaveBox(session: Session, { say }: Words): string {
  if (!offersSaving(session)) return '';
  return `<div class="field"><label class="check"><input id="save" type="checkbox"> ${say('Save this card for next time')}</label>
    <p class="error" id="save-error"></p></div>`;
}

function renderSandboxNote({ say }: Words): string {
  const [main, ...others] = TEST_CARDS;
  const rows = others.map(
    ({ number, label }) =>
      `<li><button type="button" data-card="${number}"><span>${say(label)}</span><span class="number">${groupDigits(number)}</span></button></li>`,
  );
  return `<aside class="sandbox" id="card-note" aria-label="Sandbox">
    <p><strong>${say('Sandbox: no real money moves.')}</strong></p>
    <div class="fill-row"><span class="number">${groupDigits(main?.number ?? '')}</span>
    <button type="button" class="fill" data-card="${main?.number ?? ''}">${say('Fill in test card')}</button></div>
    <details><summary>${say('More test cards')}</summary><ul class="cards">${rows.join('')}</ul></details>
  </aside>`;
}

function renderPayButton(session: Session, words: Words): string {
  return `<div class="alert" role="alert"></div>
      <button class="button primary" type="submit"><span class="spinner" aria-hidden="true"></span><span data-pay-label>${words.say('Pay {price}', { price: priceOf(session, words) })}</span></button>`;
}

function renderTestAccounts({ say }: Words): string {
  const rows = TEST_ACCOUNTS.map(
    ({ iban, label }) =>
      `<li><button type="button" data-iban="${iban}"><span>${say(label)}</span><span class="number">${groupDigits(iban)}</span></button></li>`,
  );
  return `<aside class="sandbox" id="bank-note" aria-label="Sandbox" hidden>
    <p><strong>${say('Sandbox: no real money moves.')}</strong></p><ul class="cards">${rows.join('')}</ul>
  </aside>`;
}

function renderChallenge(session: Session, words: Words): string {
  const { say } = words;
  return `<div data-step id="challenge" class="step" hidden>
    <h2 tabindex="-1">${say('Confirm it’s you')}</h2>
    <p>${say('The test bank asks you to approve {price} on the card ending in {card}. A real bank would show its own 3-D Secure page here.', { price: priceOf(session, words), card: '<span class="number" id="challenge-card"></span>' })}</p>
    <button type="button" class="button primary" data-challenge="complete">${say('Complete authentication')}</button>
    <button type="button" class="button secondary" data-challenge="fail">${say('Fail authentication')}</button>
  </div>`;
}

function renderClosed(session: Session, words: Words): string {
  const { say } = words;
  if (session.status === 'complete') {
    return renderNotice(words, {
      tone: '',
      path: CHECK,
      title: say('Payment complete'),
      text: say('You paid {price}. You can close this page.', { price: priceOf(session, words) }),
      backUrl: session.success_url?.replaceAll('{CHECKOUT_SESSION_ID}', session.id),
    });
  }
  return renderNotice(words, {
    tone: 'muted',
    path: CROSS,
    title: say('This payment has expired'),
    text: say('Nothing was charged. Go back and start again.'),
    backUrl: session.cancel_url,
  });
}

type Notice = {
  tone: string;
  path: string;
  title: string;
  text: string;
  backUrl?: string | null | undefined;
  /** `h1` if the page shows no amount above. */
  heading?: 'h1' | 'h2';
};

function renderNotice(
  { say }: Words,
  { tone, path, title, text, backUrl, heading: level = 'h2' }: Notice,
): string {
  const back = backUrl
    ? `<a class="button secondary" href="${escapeHtml(backUrl)}">${say('Go back')}</a>`
    : '';
  return `<div class="step done"><span class="mark ${tone}">${icon(path)}</span><${level} tabindex="-1">${title}</${level}><p>${text}</p>${back}</div>`;
}

const priceOf = ({ amount_total, currency }: Session, { money }: Words): string =>
  money(amount_total, currency);
const groupDigits = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');

export function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character);
}

/** Keeps JSON from closing the script element that contains it. */
function escapeScript(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
