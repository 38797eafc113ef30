import { signInWithCode } from './svc/device.js';
import { createSvcFetch } from './svc/fetch.js';

const service = 'https://YOUR-SERVICE';
const publishableKey = 'svc_pk_…';
const model = 'sandbox/story';

const find = (id) => document.getElementById(id);
const show = (text) => {
  find('answer').textContent = text;
};

const svcFetch = createSvcFetch({
  service,
  getUserKey: async () => (await chrome.storage.local.get('userKey')).userKey ?? null,
  // An extension loads no script of a server, so the user signs in and buys in a tab.
  async onNeed({ status, message, actionUrl }) {
    if (status === 401) return signIn();
    show(message);
    if (actionUrl) await chrome.tabs.create({ url: actionUrl, active: false });
    return false; // the user sends it again after the purchase
  },
});

async function signIn() {
  const userKey = await signInWithCode({
    service,
    publishableKey,
    onCode({ userCode, url }) {
      show(`Compare this code in the new tab: ${userCode}`);
      // In front of it, the popup would close.
      chrome.tabs.create({ url, active: false });
    },
  });
  if (userKey) await chrome.storage.local.set({ userKey });
  return userKey !== null;
}

find('ask').onsubmit = async (event) => {
  event.preventDefault();
  show('Thinking…');
  const question = new FormData(event.target).get('question');
  const response = await svcFetch(`${service}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: question }], max_tokens: 300 }),
  });
  const { choices, error } = await response.json();
  show(error?.message ?? choices[0].message.content);
};
