import type { BankPayout } from './bank-payouts';
import type { AccountLink, ConnectedAccount, ConnectedAccountRecord } from './connected-accounts';
import { wordsIn } from './page-words';
import { escapeHtml, type PageOptions, renderDocument } from './payment-page';

/** What a payee sees at the processor: the onboarding, and their account. */

export function renderOnboarding(
  { requirements }: ConnectedAccount,
  { return_url }: AccountLink,
  options: PageOptions,
): string {
  const { say } = wordsIn(options.language);
  const due = requirements.currently_due ?? [];
  const list = due.map((field) => `<li><code>${escapeHtml(field)}</code></li>`).join('');
  const main = `<div class="top"><a class="back" href="${escapeHtml(return_url)}">← ${say('Leave without finishing')}</a><span class="badge">Sandbox</span></div>
  <div class="sheet"><section class="panel"><form method="post" class="step">
    <h1>${say('Get paid')}</h1>
    <p>${say('Stripe would ask for your details and your bank account here. Choose how it ends.')}</p>
    ${due.length === 0 ? '' : `<div><p>${say('Still needed:')}</p><ul>${list}</ul></div>`}
    <button class="button primary" name="answer" value="finish">${say('Finish')}</button>
    <button class="button secondary" name="answer" value="later">${say('Leave an identity document due')}</button>
    <button class="button secondary" name="answer" value="reject">${say('Be rejected')}</button>
  </form></section></div>`;
  return renderPage(say('Get paid'), main, options);
}

export function renderDashboard(
  { account, balance }: ConnectedAccountRecord,
  payouts: readonly BankPayout[],
  options: PageOptions,
): string {
  const { say, money } = wordsIn(options.language);
  const isActive = account.capabilities.transfers === 'active';
  const words = { in_transit: say('In transit'), paid: say('Paid'), failed: say('Failed') };
  const rows = payouts.map(
    ({ amount, status }) =>
      `<li><span>${words[status]}</span><span class="price">${money(amount, 'usd')}</span></li>`,
  );
  const main = `<div class="top"><span></span><span class="badge">Sandbox</span></div>
  <div class="sheet"><section class="panel"><div class="step">
    <h1>${say('Your account')}</h1>
    <p>${isActive ? say('You can receive payouts.') : say('You cannot receive payouts now.')}</p>
    <p>${say('Balance: {balance}', { balance: money(balance, 'usd') })}</p>
  </div><ul class="items">${rows.join('')}</ul></section></div>`;
  return renderPage(say('Your account'), main, options);
}

const renderPage = (title: string, main: string, options: PageOptions): string =>
  renderDocument(title, options, { main, config: { framed: false, parentOrigin: null } });
