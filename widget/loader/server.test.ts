import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { loadSvc } from './index';
import { Balance, BuyCredits, PriceEstimate, SignIn, SpendToday, SvcProvider, useSvc } from './react';

const src = 'https://pay.example.com/v1/svc.js';
const publishableKey = 'svc_pk_0123456789abcdef';

test('on a server there is no widget, and nothing fails', async () => {
  expect(await loadSvc({ src })).toBeNull();
});

test('a component with the hook renders on a server, as it does before the script has loaded', () => {
  function Buy() {
    const { svc, userKey, error } = useSvc({ src, publishableKey });
    return createElement('p', null, JSON.stringify({ svc, userKey, error }));
  }
  expect(renderToString(createElement(Buy))).toContain('null');
});

test('all components render on a server, with the buttons in place and no figures', () => {
  const parts = [SignIn, BuyCredits, Balance, SpendToday].map((part) =>
    createElement(part, { key: part.name }),
  );
  const price = createElement(PriceEstimate, { key: 'price', model: 'openai/gpt-4.1', prompt: 'Hello' });
  const provider = createElement(SvcProvider, { src: '/v1/svc.js', publishableKey }, parts, price);
  const html = renderToString(provider);
  expect(html.match(/<button/g)).toHaveLength(2);
  expect(html).toContain('Buy credits');
  expect(html).not.toContain('role="status"');
});

test('a component without a provider says what is missing', () => {
  expect(() => renderToString(createElement(BuyCredits))).toThrow('<BuyCredits> needs a <SvcProvider>');
});
