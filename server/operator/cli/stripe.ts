import { settings } from '../../base/env';
import { checkSetup, type SetupCheck } from '../../payments/checkout/check-setup';
import { type Command, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

export const stripeCommands: Readonly<Record<string, Command>> = {
  'stripe check': {
    usage: 'stripe check',
    summary: 'check the Stripe account, its webhook endpoint, tax, terms, domains and the rights of the key',
    needs: 'schema',
    run: check,
  },
};

async function check(): Promise<Outcome> {
  if (settings().STRIPE_SECRET_KEY === undefined)
    throw new CommandRefused('No payment processor is configured: set STRIPE_SECRET_KEY.');
  const checks = await checkSetup();
  return {
    json: checks.map(({ name, state, found, fix }) => ({ name, state, found, fix })),
    text: alignColumns(checks.map(({ name, state, found, fix }) => [state, name, withFix(found, fix)])),
    hasProblem: checks.some(({ state }) => state === 'wrong'),
  };
}

const withFix = (found: string, fix: SetupCheck['fix']): string => (fix === null ? found : `${found} ${fix}`);
