/**
 * What the payment page does in the browser. The server checks every field; the page formats
 * what is typed, submits once at a time and shows the answer. It is sent as text, so it may use
 * nothing from outside.
 */
export const PAGE_SCRIPT = `
'use strict';
const config = JSON.parse(document.getElementById('config').textContent);
const find = (id) => document.getElementById(id);
const form = find('card-form');
const alertBox = find('alert');
const FIELDS = ['number', 'expiry', 'cvc', 'name'];
let busy = false;

function tellParent(message) {
  if (config.parentOrigin && window.parent !== window) {
    window.parent.postMessage({ type: 'sandbox-payment', ...message }, config.parentOrigin);
  }
}

/* ---- typing ---- */
const digitsOf = (text) => text.replace(/\\D/g, '');

function formatNumber(text) {
  return digitsOf(text).slice(0, 19).replace(/(.{4})(?=.)/g, '$1 ');
}

function formatExpiry(text, deleting) {
  let digits = digitsOf(text);
  if (/^[2-9]$/.test(digits)) digits = '0' + digits;
  if (/^\\s*\\d\\s*\\/\\s*$/.test(text)) digits = digits.padStart(2, '0');
  if (digits.length === 6) digits = digits.slice(0, 2) + digits.slice(4);
  digits = digits.slice(0, 4);
  if (digits.length < 2 || (digits.length === 2 && deleting)) return digits;
  return digits.slice(0, 2) + ' / ' + digits.slice(2);
}

/* Keeps the caret behind the digit it was behind. */
function formatInput(input, format) {
  input.addEventListener('input', (event) => {
    const before = digitsOf(input.value.slice(0, input.selectionStart)).length;
    const atEnd = input.selectionStart === input.value.length;
    const deleting = (event.inputType || '').startsWith('delete');
    input.value = format(input.value, deleting);
    if (atEnd) return;
    let caret = 0;
    for (let seen = 0; caret < input.value.length && seen < before; caret++) if (/\\d/.test(input.value[caret])) seen++;
    input.setSelectionRange(caret, caret);
  });
}

/* ---- errors ---- */
function showError(field, message) {
  find(field + '-error').textContent = message || '';
  find(field).toggleAttribute('aria-invalid', false);
  if (message) find(field).setAttribute('aria-invalid', 'true');
}

function showErrors(errors) {
  for (const field of FIELDS) showError(field, errors[field]);
  const first = FIELDS.find((field) => errors[field]);
  if (first) find(first).focus();
}

/* ---- steps ---- */
function showStep(id) {
  for (const step of document.querySelectorAll('[data-step]')) step.hidden = step.id !== id;
  const heading = find(id).querySelector('h2');
  if (heading) heading.focus();
}

function setBusy(next) {
  busy = next;
  for (const button of document.querySelectorAll('.button')) {
    button.setAttribute('aria-disabled', String(next));
  }
  const pay = find('pay');
  pay.setAttribute('aria-busy', String(next));
  find('pay-label').textContent = next ? 'Processing…' : config.payLabel;
}

async function submit(body) {
  if (busy) return;
  setBusy(true);
  alertBox.textContent = '';
  let result;
  try {
    const response = await fetch(config.action, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    result = await response.json();
  } catch {
    result = { status: 'declined', message: 'The payment could not be sent. Check your connection and try again.' };
  }
  if (result.status !== 'complete' || !result.redirect_to || config.framed) setBusy(false);
  show(result);
}

function show(result) {
  if (result.status === 'invalid') return showErrors(result.errors);
  if (result.status === 'challenge') {
    find('challenge-card').textContent = result.last4;
    return showStep('challenge');
  }
  if (result.status === 'expired') return location.reload();
  if (result.status === 'complete') return finish(result.redirect_to);
  decline(result);
}

function decline(result) {
  showStep('pay-step');
  showErrors(result.field ? { [result.field]: result.message } : {});
  if (!result.field) {
    alertBox.textContent = result.message;
    find('number').focus();
  }
  tellParent({ status: 'declined' });
}

function finish(redirectTo) {
  if (!config.framed && redirectTo) return location.assign(redirectTo);
  showStep('done');
  tellParent({ status: 'complete', ...(redirectTo && { return_url: redirectTo }) });
}

/* ---- wiring ---- */
if (form) {
  formatInput(find('number'), formatNumber);
  formatInput(find('expiry'), formatExpiry);
  formatInput(find('cvc'), (text) => digitsOf(text).slice(0, 4));
  for (const field of FIELDS) find(field).addEventListener('input', () => showError(field, ''));

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(Object.fromEntries(FIELDS.map((field) => [field, find(field).value])));
  });
  for (const button of document.querySelectorAll('[data-challenge]')) {
    button.addEventListener('click', () => submit({ challenge: button.dataset.challenge }));
  }
  for (const button of document.querySelectorAll('[data-card]')) {
    button.addEventListener('click', () => {
      find('number').value = formatNumber(button.dataset.card);
      find('expiry').value = config.testExpiry;
      find('cvc').value = '123';
      find('name').value = find('name').value || 'Test Person';
      showErrors({});
      alertBox.textContent = '';
      find('pay').focus();
    });
  }
  /* Coming back from the success page shows the session as it is now. */
  window.addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
}

if (config.framed) {
  let last = 0;
  const report = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height !== last) tellParent({ status: 'resize', height });
    last = height;
  };
  new ResizeObserver(report).observe(document.body);
  report();
}
`;
