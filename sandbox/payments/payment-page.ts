import { TEST_ACCOUNTS } from './bank-debits';
import { asksForBusiness, BUSINESS_FIELDS } from './business';
import { asksForCountry, asksForTerms, TAX_COUNTRIES } from './buyer-details';
import { TEST_CARDS } from './cards';
import { formatMoney } from './money-text';
import type { PaymentMethod, Session } from './objects';
import { escapeHtml, type Page } from './page';
import { offersSaving } from './pay-session';
import { PAGE_SCRIPT } from './payment-page-script';
import type { SessionRecord } from './records';

/** The payment form, as a page of its own or framed in a checkout. */
export function describePaymentPage(
  { session, product }: SessionRecord,
  saved: readonly PaymentMethod[],
  frame: Page['frame'],
): Page {
  const isSetup = session.mode === 'setup';
  const price = isSetup ? '' : formatMoney(session.amount_total, session.currency);
  const isOpen = session.status === 'open';
  const back =
    isOpen && session.cancel_url !== null
      ? `<a class="back" href="${escapeHtml(session.cancel_url)}">Cancel and go back</a>`
      : '';
  const title = isSetup ? 'Save card' : `Pay ${price}`;
  const heading = isSetup ? '<h1>Save card</h1>' : `<h1>${price}</h1><p>${escapeHtml(product)}</p>`;
  return {
    title,
    main: `${back}${heading}
      ${asksForCountry(session) ? '<p>Tax is included.</p>' : ''}
      ${isOpen ? renderOpen(session, saved, title) : renderClosed(session, price)}`,
    ...(frame && { frame }),
    ...(isOpen && { script: PAGE_SCRIPT }),
  };
}

function renderOpen(session: Session, saved: readonly PaymentMethod[], title: string): string {
  const pay = `<div class="pay"><p class="error" role="alert"></p><button type="submit">${title}</button></div>`;
  const isSetup = session.mode === 'setup';
  return `<div id="pay-step" tabindex="-1">
    ${isSetup ? '' : METHODS}
    <form id="card-form" novalidate aria-label="${isSetup ? 'Card' : 'Card payment'}">
      ${renderSavedCards(session, saved)}
      ${renderField('number', 'number', 'Card number', 'autocomplete="cc-number" inputmode="numeric"')}
      ${renderField('expiry', 'expiry', 'Expiry (MM / YY)', 'autocomplete="cc-exp" inputmode="numeric"')}
      ${renderField('cvc', 'cvc', 'CVC', 'autocomplete="cc-csc" inputmode="numeric"')}
      ${renderField('name', 'name', 'Name on card', 'autocomplete="cc-name"')}
      ${renderBuyerFields(session, 'card')}
      ${offersSaving(session) ? renderBox('save', 'save', 'Save this card for next time') : ''}
      ${pay}
      ${renderTestCards()}
    </form>
    ${isSetup ? '' : renderBankForm(session, pay)}
  </div>
  <div id="challenge" tabindex="-1" hidden>
    <h2>Confirm it’s you</h2><p>A real bank would show its own 3-D Secure page here.</p>
    <button type="button" data-send='{"challenge":"complete"}'>Complete authentication</button>
    <button type="button" data-send='{"challenge":"fail"}'>Fail authentication</button>
  </div>
  <h2 id="done" tabindex="-1" hidden>${describeEnd(session)}</h2>
  <h2 id="sent" tabindex="-1" hidden>Payment sent</h2>`;
}

const METHODS = `<fieldset><legend>Payment method</legend>
      <label><input type="radio" name="method" value="card" checked> Card</label>
      <label><input type="radio" name="method" value="bank"> Bank debit</label>
    </fieldset>`;

const renderBankForm = (session: Session, pay: string): string =>
  `<form id="bank-form" novalidate aria-label="Bank debit" hidden>
      ${renderField('iban', 'iban', 'Account number (IBAN)')}
      ${renderField('holder', 'name', 'Account holder')}
      ${renderBuyerFields(session, 'bank')}
      ${pay}
      <p>Sandbox: no real money moves.</p>
      ${TEST_ACCOUNTS.map(({ iban, label }) => `<button type="button" data-iban="${iban}">${label} ${iban}</button>`).join('')}
    </form>`;

const describeEnd = ({ mode }: Session): string => (mode === 'setup' ? 'Card saved' : 'Payment complete');

const renderField = (id: string, name: string, label: string, attributes = ''): string =>
  `<label for="${id}">${label}</label>
  <input id="${id}" name="${name}" maxlength="200" ${attributes} aria-describedby="${id}-error">${renderError(id)}`;

const renderBox = (id: string, name: string, label: string): string =>
  `<label><input id="${id}" name="${name}" value="accepted" type="checkbox" aria-describedby="${id}-error"> ${label}</label>${renderError(id)}`;

const renderError = (id: string): string => `<p class="error" id="${id}-error" aria-live="polite"></p>`;

/** Each form has its own fields. */
function renderBuyerFields(session: Session, form: 'card' | 'bank'): string {
  const options = TAX_COUNTRIES.map(({ code, label }) => `<option value="${code}">${label}</option>`);
  const id = `${form}-country`;
  const country = `<label for="${id}">Country</label><select id="${id}" name="country" autocomplete="country" aria-describedby="${id}-error">
    <option value="">Choose…</option>${options.join('')}</select>${renderError(id)}`;
  const business = BUSINESS_FIELDS.map(({ name, label }) => renderField(`${form}-${name}`, name, label));
  return [
    asksForCountry(session) ? country : '',
    asksForBusiness(session)
      ? `<details><summary>I’m buying as a business</summary>${business.join('')}</details>`
      : '',
    asksForTerms(session) ? renderBox(`${form}-terms`, 'terms', 'I accept the terms of service') : '',
  ].join('');
}

function renderSavedCards(session: Session, saved: readonly PaymentMethod[]): string {
  const canRemove = session.saved_payment_method_options?.payment_method_remove === 'enabled';
  return saved
    .map(({ id, card: { brand, last4 } }) => {
      const name = brand.replace(/^./, (first) => first.toUpperCase());
      const send = (verb: string, label: string) =>
        `<button type="button" data-send='{"${verb}":"${id}"}'>${label} ${name} •••• ${last4}</button>`;
      return send('saved', 'Pay with') + (canRemove ? send('remove', 'Remove') : '');
    })
    .join('');
}

function renderTestCards(): string {
  const [main, ...others] = TEST_CARDS;
  const rows = others.map(
    ({ number, label }) => `<button type="button" data-card="${number}">${label} ${number}</button>`,
  );
  return `<p>Sandbox: no real money moves.</p>
    <button type="button" class="fill" data-card="${main?.number ?? ''}">Fill in test card</button>
    <details><summary>More test cards</summary>${rows.join('')}</details>`;
}

function renderClosed(session: Session, price: string): string {
  const { id, mode, status, success_url, cancel_url } = session;
  const isPaid = status === 'complete';
  const back = isPaid ? success_url?.replaceAll('{CHECKOUT_SESSION_ID}', id) : cancel_url;
  const ended = mode === 'setup' ? 'This page has expired' : 'This payment has expired';
  const text = isPaid ? `<h2>${describeEnd(session)}</h2><p>${price}</p>` : `<h2>${ended}</h2>`;
  return `${text}${back ? `<a href="${escapeHtml(back)}">Go back</a>` : ''}`;
}
