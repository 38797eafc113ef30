/**
 * The payment page in the browser: formats input, submits one form at a time and shows the result.
 * The server validates every field. The script is sent as text, so it cannot import anything.
 */
export const PAGE_SCRIPT = `
'use strict';
const config = JSON.parse(document.getElementById('config').textContent);
const find = (id) => document.getElementById(id);
/* Each payment method has its own form; 'names' maps its fields to the server's names. */
const METHODS = {
  card: methodOf('card', config.cardFields || [], {}),
  bank: methodOf('bank', ['iban', 'holder'], { holder: 'name' }),
};
function methodOf(id, own, names) {
  const asked = (config.asks || []).map((name) => [id + '-' + name, name]);
  return {
    form: find(id + '-form'), note: find(id + '-note'),
    fields: [...own, ...asked.map(([field]) => field)], names: { ...names, ...Object.fromEntries(asked) },
  };
}
let method = METHODS.card;
let busy = false;

const nameOf = (field) => method.names[field] || field;
const valueOf = ({ type, checked, value }) => (type === 'checkbox' ? (checked ? 'accepted' : '') : value);
const setAlert = (text) => { method.form.querySelector('.alert').textContent = text; };

function notifyParent(message) {
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

/* Keeps the caret after the same digit. */
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
  for (const field of method.fields) showError(field, errors[nameOf(field)]);
  const first = method.fields.find((field) => errors[nameOf(field)]);
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
  method.form.querySelector('.primary').setAttribute('aria-busy', String(next));
  method.form.querySelector('[data-pay-label]').textContent = next ? config.busyLabel : config.payLabel;
}

async function submit(body) {
  if (busy) return;
  setBusy(true);
  setAlert('');
  let result;
  try {
    const response = await fetch(config.action, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    result = await response.json();
  } catch {
    result = { status: 'declined', message: config.unsent };
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
  if (result.status === 'expired' || result.status === 'removed') return location.reload();
  if (result.status === 'complete') return finish(result.redirect_to);
  decline(result);
}

function decline(result) {
  showStep('pay-step');
  showErrors(result.field ? { [result.field]: result.message } : {});
  if (!result.field) {
    setAlert(result.message);
    find(method.fields[0]).focus();
  }
  notifyParent({ status: 'declined' });
}

function finish(redirectTo) {
  if (!config.framed && redirectTo) return location.assign(redirectTo);
  showStep(method === METHODS.bank ? 'sent' : 'done');
  notifyParent({ status: 'complete', ...(redirectTo && { return_url: redirectTo }) });
}

/* ---- wiring ---- */
if (METHODS.card.form) {
  formatInput(find('number'), formatNumber);
  formatInput(find('expiry'), formatExpiry);
  formatInput(find('cvc'), (text) => digitsOf(text).slice(0, 4));
  for (const known of Object.values(METHODS)) {
    for (const field of known.fields) find(field).addEventListener('input', () => showError(field, ''));
    known.form.addEventListener('submit', (event) => {
      event.preventDefault();
      submit(Object.fromEntries(known.fields.map((field) => [nameOf(field), valueOf(find(field))])));
    });
  }
  for (const choice of document.querySelectorAll('[name=method]')) {
    choice.addEventListener('change', () => {
      setAlert('');
      method = METHODS[choice.value];
      for (const known of Object.values(METHODS)) known.form.hidden = known.note.hidden = known !== method;
    });
  }
  for (const button of document.querySelectorAll('[data-iban]')) {
    button.addEventListener('click', () => {
      find('iban').value = button.dataset.iban.replace(/(.{4})(?=.)/g, '$1 ');
      find('holder').value = find('holder').value || 'Test Person';
      showErrors({});
      method.form.querySelector('.primary').focus();
    });
  }
  for (const button of document.querySelectorAll('[data-saved]')) {
    button.addEventListener('click', () => {
      const asked = (config.asks || []).map((name) => [name, valueOf(find('card-' + name))]);
      submit({ saved: button.dataset.saved, ...Object.fromEntries(asked) });
    });
  }
  for (const button of document.querySelectorAll('[data-remove]')) {
    button.addEventListener('click', () => submit({ remove: button.dataset.remove }));
  }
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
      setAlert('');
      method.form.querySelector('.primary').focus();
    });
  }
  /* Returning from the success page shows the current state of the session. */
  window.addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
}

if (config.framed) {
  let last = 0;
  const report = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height !== last) notifyParent({ status: 'resize', height });
    last = height;
  };
  new ResizeObserver(report).observe(document.body);
  report();
}
`;
