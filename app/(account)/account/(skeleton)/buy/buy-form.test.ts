import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ENGLISH } from '@/app/checkout/english';
import { BuyForm } from './buy-form';

const render = (taxNote: string | undefined): string =>
  renderToStaticMarkup(
    createElement(BuyForm, {
      presets: [10],
      minimum: 5,
      maximum: 500,
      rates: { usd: 1, eur: null },
      taxNote,
      isSandbox: false,
      cards: Promise.resolve([]),
      buttonId: 'first',
    }),
  );

test('the form says that prices include tax where they do and omits the note elsewhere', () => {
  const { taxIncluded } = ENGLISH.say;
  expect(render(taxIncluded)).toContain(`>${taxIncluded} These credits are not tied to an app`);
  expect(render(undefined)).not.toMatch(/tax/i);
});
