import { findUsdRate, saveUsdRate } from '../../payments/checkout/exchange-rates';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';

export const rateCommands: Readonly<Record<string, Command>> = {
  'rate show': {
    usage: 'rate show',
    summary: 'show the current exchange rate; null when it is more than 7 days old',
    needs: 'schema',
    run: show,
  },
  'rate set': {
    usage: 'rate set RATE [--source TEXT]',
    summary: 'set USD per euro; payments already started keep their rate',
    arguments: ['RATE'],
    options: { source: 'text' },
    needs: 'schema',
    run: set,
  },
};

async function show(): Promise<Outcome> {
  const rate = await findUsdRate('eur');
  return {
    json: { base: 'eur', quote: 'usd', rate },
    text:
      rate === null
        ? 'The exchange rate is out of date. Payments in euros are paused.'
        : `1 EUR = ${rate} USD`,
    hasProblem: rate === null,
  };
}

async function set(input: CommandInput): Promise<Outcome> {
  const rate = input.require('RATE');
  if (!/^\d{1,3}(\.\d{1,6})?$/.test(rate) || Number(rate) < 0.1 || Number(rate) > 10) {
    throw new CommandRefused('Invalid RATE: expected a decimal between 0.1 and 10, such as 1.0875');
  }
  await saveUsdRate({ currency: 'eur', rate, source: input.find('source') ?? 'operator' });
  return { json: { base: 'eur', quote: 'usd', rate }, text: `1 EUR = ${rate} USD, effective now` };
}
