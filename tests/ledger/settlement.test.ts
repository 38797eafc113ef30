import { describe, expect, test } from 'vitest';
import { chargeFor } from '../../server/base/credits';
import { pool } from '../../server/base/db';
import { capture, checkLedger, type Hold, readHistory, release, sweepHolds } from '../../server/ledger';
import { keepLease, renewLeases } from '../../server/ledger/lease';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, sees, type Wallet } from './wallets';

await newDatabase();

async function placeHold(wallet: Wallet, want: number): Promise<Hold> {
  const admission = await hold(wallet, 'A', want);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

async function entriesOf(requestId: string): Promise<Record<string, bigint>> {
  const { rows } = await pool().query<{ account: string; amount: bigint }>(
    'SELECT account, amount FROM ledger_entry WHERE transaction_id = $1',
    [requestId.replace('req_', 'txn_')],
  );
  return Object.fromEntries(rows.map((row) => [row.account, row.amount]));
}

const abandon = (requestId: string) =>
  pool().query(
    "UPDATE hold SET lease_until = clock_timestamp() - interval '1 second' WHERE request_id = $1",
    [requestId],
  );

describe('settling a request', () => {
  test('takes cost and commission from the user and books both, to the microcredit', async () => {
    const wallet = await newWallet(['A'], { rateBp: 2500 });
    await buy(wallet, 'A', 100);
    const running = await placeHold(wallet, 40);

    const settled = await capture(running, chargeFor(exactly(3.001), running.rateBp), receipt());

    expect(settled).toEqual({ captured: 3_751_250n, balance: 96_248_750n });
    expect(await entriesOf(running.requestId)).toEqual({
      pocket: -3_751_250n,
      provider_cost: 3_001_000n,
      partner_earnings: 750_250n,
    });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('happens once: repeating a capture or releasing after it changes nothing', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);
    const running = await placeHold(wallet, 40);
    const charge = chargeFor(exactly(10), running.rateBp);

    await Promise.all(Array.from({ length: 20 }, () => capture(running, charge, receipt())));
    await release(running);

    expect(await sees(wallet, 'A')).toEqual([90, 'ok']);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('never takes more than was held: the excess is an overrun loss, and the commission is part of what was paid', async () => {
    const wallet = await newWallet(['A'], { rateBp: 1000 });
    await buy(wallet, 'A', 100);
    const running = await placeHold(wallet, 10);

    const settled = await capture(running, chargeFor(exactly(25), running.rateBp), receipt());

    expect(settled?.captured).toBe(11_000_000n);
    expect(await entriesOf(running.requestId)).toEqual({
      pocket: -11_000_000n,
      provider_cost: 25_000_000n,
      overrun_loss: -14_000_000n,
    });
  });

  test('costs nothing and leaves no history when the hold is released', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);
    await release(await placeHold(wallet, 40));

    expect(await sees(wallet, 'A')).toEqual([100, 'ok']);
    const history = await readHistory(
      { userId: wallet.userId, partnerId: wallet.apps.A?.id ?? '' },
      { limit: 50, offset: 0 },
    );
    expect(history.entries.map((entry) => entry.type)).toEqual(['purchase']);
  });
});

describe('a hold of a dead instance', () => {
  test('is released by the sweep when nothing was metered', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);
    const running = await placeHold(wallet, 40);
    await abandon(running.requestId);

    expect(await sweepHolds()).toBe(1);
    expect(await sees(wallet, 'A')).toEqual([100, 'ok']);
  });

  test('is captured with what its last renewal had metered', async () => {
    const wallet = await newWallet(['A'], { rateBp: 2500 });
    await buy(wallet, 'A', 100);
    const running = await placeHold(wallet, 40);
    const endLease = keepLease(running, () => ({
      charge: chargeFor(exactly(8), running.rateBp),
      receipt: receipt(),
    }));
    await renewLeases();
    endLease();
    await abandon(running.requestId);

    await sweepHolds();

    expect(await sees(wallet, 'A')).toEqual([90, 'ok']);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('is not swept while its lease is renewed', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);
    await placeHold(wallet, 40);

    expect(await sweepHolds()).toBe(0);
  });
});

describe('the entries of the ledger', () => {
  test('cannot be changed or deleted', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);

    await expect(pool().query('UPDATE ledger_transaction SET credits = 1')).rejects.toThrow('append-only');
    await expect(pool().query('DELETE FROM ledger_transaction')).rejects.toThrow('append-only');
  });

  test('cannot be written unless they sum to zero', async () => {
    const wallet = await newWallet(['A']);
    await expect(
      pool().query(
        `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, postings)
         VALUES ($1, 'txn_x', '', 'adjustment', 'x', 1, 1, '[{"account":"pocket","partner_id":"","amount":1}]')`,
        [wallet.userId],
      ),
    ).rejects.toThrow('ledger_transaction_sums_to_zero');
  });

  test('let the check find a balance that differs from them', async () => {
    const wallet = await newWallet(['A']);
    await buy(wallet, 'A', 100);
    await pool().query('UPDATE wallet SET money = money + 5 WHERE user_id = $1', [wallet.userId]);

    expect((await checkLedger()).differences).toEqual([expect.stringContaining('differs by 5')]);
    await pool().query('UPDATE wallet SET money = money - 5 WHERE user_id = $1', [wallet.userId]);
  });
});
