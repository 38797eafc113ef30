import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { loadSvc } from './index';
import { useSvc } from './react';

const src = 'https://pay.example.com/v1/svc.js';

test('on a server there is no widget, and nothing fails', async () => {
  expect(await loadSvc({ src })).toBeNull();
});

test('a component with the hook renders on a server, as it does before the script has loaded', () => {
  function Buy() {
    const { svc, userKey, error } = useSvc({ src, publishableKey: 'svc_pk_0123456789abcdef' });
    return createElement('p', null, JSON.stringify({ svc, userKey, error }));
  }
  expect(renderToString(createElement(Buy))).toContain('null');
});
