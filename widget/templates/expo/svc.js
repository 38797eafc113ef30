import * as SecureStore from 'expo-secure-store';
import * as WebBrowser from 'expo-web-browser';
import { signInWithCode } from 'svc-checkout/device';
import { createSvcFetch } from 'svc-checkout/fetch';

export const service = 'https://YOUR-SERVICE';
const publishableKey = 'svc_pk_…';
const model = 'sandbox/story';

/** `onMessage` shows a line to the user. */
export function createAsk(onMessage) {
  const svcFetch = createSvcFetch({
    service,
    getUserKey: () => SecureStore.getItemAsync('userKey'),
    async onNeed({ status, message, actionUrl }) {
      if (status === 401) return signIn(onMessage);
      onMessage(message);
      if (!actionUrl) return false;
      // Resolves when the user closes the browser.
      await WebBrowser.openBrowserAsync(actionUrl);
      return true;
    },
  });
  return async (question) => {
    const response = await svcFetch(`${service}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: question }], max_tokens: 300 }),
    });
    const { choices, error } = await response.json();
    return error?.message ?? choices[0].message.content;
  };
}

async function signIn(onMessage) {
  const userKey = await signInWithCode({
    service,
    publishableKey,
    onCode({ userCode, url }) {
      onMessage(`Compare this code: ${userCode}`);
      WebBrowser.openBrowserAsync(url);
    },
  });
  if (userKey === null) return false;
  WebBrowser.dismissBrowser();
  await SecureStore.setItemAsync('userKey', userKey);
  return true;
}
