import { checkLedger, pauseInCommand } from '../ledger';
import type { Command, Outcome } from './command';

export const ledgerCommands: Readonly<Record<string, Command>> = {
  'ledger check': {
    usage: 'ledger check',
    summary: 'recompute every balance and check all invariants',
    needs: 'schema',
    run: check,
  },
};

async function check(): Promise<Outcome> {
  const { differences, users, transactions } = await checkLedger(pauseInCommand);
  const hasProblem = differences.length > 0;
  const counted = `${users} users, ${transactions} transactions`;
  return {
    json: { ok: !hasProblem, users, transactions, differences },
    text: hasProblem
      ? [`The ledger has differences (${counted}):`, ...differences].join('\n')
      : `The ledger is consistent: ${counted}.`,
    hasProblem,
  };
}
