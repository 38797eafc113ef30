/**
 * The payment form in the browser: sends one form at a time as JSON and shows the result. The server validates
 * every field. The script is sent as text, so it cannot import anything.
 */
export const PAGE_SCRIPT = `
'use strict';
const find = (id) => document.getElementById(id);
const { parent: parentOrigin } = document.body.dataset;
const isFramed = parentOrigin !== undefined;
let form = find('card-form');
let busy = false;

function notify(message) {
  if (parentOrigin && window.parent !== window) window.parent.postMessage({ type: 'sandbox-payment', ...message }, parentOrigin);
}

function showErrors(errors) {
  const invalid = [];
  for (const field of form.querySelectorAll('[name]')) {
    const message = errors[field.name];
    find(field.id + '-error').textContent = message || '';
    if (message) invalid.push(field);
    if (message) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  if (invalid.length > 0) invalid[0].focus();
}

function showStep(id) {
  for (const step of ['pay-step', 'challenge', 'done', 'sent']) find(step).hidden = step !== id;
  find(id).focus();
}

async function send(body) {
  if (busy) return;
  busy = true;
  form.querySelector('[role=alert]').textContent = '';
  let result;
  try {
    const response = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    result = await response.json();
  } catch {
    result = { status: 'declined', message: 'The payment could not be sent. Try again.' };
  }
  const leaves = result.status === 'complete' && result.redirect_to && !isFramed;
  if (leaves) return location.assign(result.redirect_to);
  busy = false;
  if (result.status === 'invalid') return showErrors(result.errors);
  if (result.status === 'challenge') return showStep('challenge');
  if (result.status === 'complete') return finish(result.redirect_to);
  if (result.status !== 'declined') return location.reload();
  showStep('pay-step');
  showErrors({ [result.field]: result.message });
  if (!result.field) form.querySelector('[role=alert]').textContent = result.message;
  notify({ status: 'declined' });
}

function finish(redirectTo) {
  showStep(form.id === 'bank-form' ? 'sent' : 'done');
  notify({ status: 'complete', ...(redirectTo && { return_url: redirectTo }) });
}

function use(button) {
  const { card, iban, send: body } = button.dataset;
  if (body) return send({ ...Object.fromEntries(new FormData(form)), ...JSON.parse(body) });
  if (!card && !iban) return;
  const values = card ? { number: card, expiry: '12 / 40', cvc: '123', name: 'Test Person' } : { iban, name: 'Test Person' };
  for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
  showErrors({});
  form.querySelector('[type=submit]').focus();
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest('button');
  if (button) use(button);
});
document.addEventListener('submit', (event) => {
  event.preventDefault();
  send(Object.fromEntries(new FormData(form)));
});
document.addEventListener('change', ({ target }) => {
  if (target.name !== 'method') return;
  form = find(target.value + '-form');
  for (const known of document.forms) known.hidden = known !== form;
});
/* Returning from the success page shows the current state of the session. */
window.addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
if (isFramed) new ResizeObserver(() => notify({ status: 'resize', height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body);
`;
