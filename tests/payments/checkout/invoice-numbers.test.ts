import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { nowDate, setClock } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { saveBillingDetails } from '@/server/payments/invoices/billing-details';
import { requestInvoice } from '@/server/payments/invoices/issue';
import { newDatabase } from '../../harness';
import { withClient } from '../../harness/database-connection';
import { newPerson } from '../../harness/people';
import { bundleProgram } from '../../harness/programs';
import { bookPaidSession } from '../../harness/purchases';
import { until } from '../../harness/until';

/** The numbers of invoices, while many are issued at once and while processes die. */

const { url } = await newDatabase();
Object.assign(process.env, { SELLER_NAME: 'Example GmbH', SELLER_ADDRESS: 'Ring 1, 1010 Wien' });

const bundle = bundleProgram('tests/payments/checkout/invoice-process.ts');
afterEach(() => setClock());

const DETAILS = { name: 'Form AG', address: 'Ring 3\n1010 Wien', country: 'AT', taxId: '', reference: '' };

async function newBuyer() {
  const { userId, partnerId } = await newPerson();
  expect(await saveBillingDetails(userId, DETAILS)).toEqual({ ok: true });
  return { userId, partnerId };
}
type Buyer = Awaited<ReturnType<typeof newBuyer>>;

const buy = ({ userId, partnerId }: Buyer): Promise<string> =>
  inTransaction(async (tx) => {
    const order = { userId, partnerId, credits: wholeCredits(1_000), sessionId: newId('cks') };
    return (await bookPaidSession(tx, order)).transactionId;
  });

const serialsOf = async (series: string): Promise<number[]> =>
  (await prisma().invoice.findMany({ where: { series }, orderBy: { serial: 'asc' } })).map(
    ({ serial }) => serial,
  );
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test('numbers have no gap and no duplicate when the invoices of 50 purchases are requested at once @attack', async () => {
  setClock(() => Date.UTC(2032, 5, 1));
  const buyers = await Promise.all(Array.from({ length: 5 }, newBuyer));
  const purchases: { userId: string; id: string }[] = [];
  for (const { userId, partnerId } of Array.from({ length: 10 }, () => buyers).flat())
    purchases.push({ userId, id: await buy({ userId, partnerId }) });
  // On a busy machine some find no connection in time, and their users try again.
  let open = purchases;
  for (let round = 0; round < 10 && open.length > 0; round++) {
    const outcomes = await Promise.allSettled(open.map(({ userId, id }) => requestInvoice(userId, id)));
    open = open.filter((_, index) => outcomes[index]?.status === 'rejected');
  }
  expect(open).toEqual([]);
  const issued = await prisma().invoice.findMany({ where: { series: 'INV-2032' } });
  expect(new Set(issued.map(({ purchaseId }) => purchaseId)).size).toBe(50);
  expect(await serialsOf('INV-2032')).toEqual(upTo(50));
});

const LOCK = 4711;

/** Stops whatever inserts an invoice, before the row or before the commit, while `work` runs. */
async function withHeldInvoices(when: Moment, work: () => Promise<void>): Promise<void> {
  const trigger =
    when === 'between the number and its document'
      ? 'TRIGGER held BEFORE INSERT ON invoice'
      : 'CONSTRAINT TRIGGER held AFTER INSERT ON invoice DEFERRABLE INITIALLY DEFERRED';
  await withClient(url, async (client) => {
    await client.query(
      `CREATE OR REPLACE FUNCTION hold_invoice() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NEW; END $$;
       CREATE ${trigger} FOR EACH ROW EXECUTE FUNCTION hold_invoice();
       SELECT pg_advisory_lock(${LOCK})`,
    );
    await work();
    await client.query(`SELECT pg_advisory_unlock(${LOCK})`);
    await untilLocks(0, true);
    await client.query('DROP TRIGGER held ON invoice; DROP FUNCTION hold_invoice');
  });
}

/** Waits until so many processes hold the lock, or wait for it. */
const untilLocks = (count: number, granted: boolean) =>
  until(
    () => prisma().$queryRaw<object[]>`
      SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
      WHERE locktype = 'advisory' AND objid::int = ${LOCK} AND granted = ${granted}`,
    (found) => found.length === count,
  );

type Moment = 'between the number and its document' | 'while it commits';

test.each<Moment>(['between the number and its document', 'while it commits'])(
  'numbers have no gap after a process was killed %s @attack',
  async (moment) => {
    const buyer = await newBuyer();
    const series = `INV-${nowDate().getUTCFullYear()}`;
    const id = await buy(buyer);
    await withHeldInvoices(moment, async () => {
      const child = spawn(process.execPath, [bundle, buyer.userId, id], {
        env: process.env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const died = once(child, 'exit');
      await untilLocks(1, false);
      child.kill('SIGKILL');
      expect(await died).toEqual([null, 'SIGKILL']);
    });
    const next = await Promise.all([buy(buyer), buy(buyer)]);
    for (const purchaseId of [...next, id])
      expect(await requestInvoice(buyer.userId, purchaseId)).toMatchObject({ ok: true });
    const serials = await serialsOf(series);
    expect(serials).toEqual(upTo(serials.length));
    expect(await prisma().invoice.count({ where: { purchaseId: id } })).toBe(1);
  },
);

test('numbers are checked by every audit, which finds a number without a document', async () => {
  const issue = async () => {
    const buyer = await newBuyer();
    await requestInvoice(buyer.userId, await buy(buyer));
  };
  await issue();
  expect((await checkLedger()).differences).toEqual([]);
  expect((await auditRecent(0))?.differences).toEqual([]);
  await prisma().$executeRaw`UPDATE invoice_series SET last = last + 1`;
  await issue();
  const found = expect.arrayContaining([expect.stringContaining('the numbers of invoices have no gaps')]);
  expect((await checkLedger()).differences).toEqual(found);
  expect((await auditRecent(0))?.differences).toEqual(found);
});
