import { afterEach, describe, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { refundPurchase } from '@/server/payments/checkout/refund-purchase';
import { applyReversals } from '@/server/payments/checkout/reversals';
import { saveBillingDetails } from '@/server/payments/invoices/billing-details';
import { findDocument, listDocuments } from '@/server/payments/invoices/documents';
import { requestInvoice } from '@/server/payments/invoices/issue';
import { renderPdf } from '@/server/payments/invoices/pdf';
import { respondWithPdf } from '@/server/payments/invoices/respond';
import { newDatabase } from '../../harness';
import { readPdfText } from '../../harness/pdf-text';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { CheckoutWindow, newUserKey, SECRET_KEY, send, startCheckout } from './checkout-world';

/** Invoices and credit notes, from the payment in the form to the text of the PDF. */

await newDatabase();
Object.assign(process.env, {
  SELLER_NAME: 'Example Software GmbH',
  SELLER_ADDRESS: 'Mariahilfer Straße 1, 1060 Wien, Österreich',
  SELLER_TAX_ID: 'ATU13585627',
  STRIPE_AUTOMATIC_TAX: 'true',
});
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
const CARD = { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };
const DISPUTED = '4000 0000 0000 0259';
const DETAILS = {
  name: 'Łukasz Müller & Σία OOO «Ромашка»',
  address: 'Unter den Linden 1\n10117 Berlin',
  country: 'DE',
  taxId: 'de 136 695 976',
  reference: 'PO-4711',
};
const control = (command: object) => send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, command);

afterEach(() => setClock());

let buyers = 0;
type Bought = { userId: string; id: string; paymentId: string };

async function newBuyer(details: typeof DETAILS | null) {
  const email = `invoiced-${++buyers}@example.com`;
  const { userId } = await newUserKey(world.app, email);
  if (details !== null) expect(await saveBillingDetails(userId, details)).toEqual({ ok: true });
  return { userId, email };
}

async function buy(
  details: typeof DETAILS | null = DETAILS,
  fields: Record<string, string> = {},
  options: Record<string, unknown> = {},
): Promise<Bought> {
  const { email, userId } = await newBuyer(details);
  const window = await CheckoutWindow.open(world, options);
  await window.signIn(email);
  const { session_id: sessionId, payment } = await window.startPayment({ amount: 12 });
  const paid = await send(payment.embed_url, 'POST', {}, { ...CARD, country: 'AT', ...fields });
  expect(paid.body).toMatchObject({ status: 'complete' });
  await window.get(`/payments/${sessionId}`);
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { sessionId } });
  return { userId, id: purchase.id, paymentId: purchase.processorPaymentId ?? '' };
}

async function documentsOf({ id, userId }: Bought) {
  const listed = await listDocuments([id]);
  const issued = await Promise.all(listed.map(({ number }) => findDocument(number, userId)));
  return issued.flatMap((each) => (each ? [[each.kind, each.amountMinor, each.taxMinor]] : []));
}
async function readText(bought: Bought, index = 0): Promise<string[]> {
  const summary = (await listDocuments([bought.id]))[index];
  const issued = await findDocument(summary?.number ?? '', bought.userId);
  if (issued === null) throw new Error('no such document');
  return readPdfText(await renderPdf(issued));
}
const differences = async () => (await checkLedger()).differences;

describe('an invoice', () => {
  test('is issued with the purchase if the user has billing details, and its PDF says who sold what to whom', async () => {
    const bought = await buy();
    const [{ number = '' } = {}] = await listDocuments([bought.id]);
    expect(number).toMatch(/^INV-\d{4}-\d{6}$/);
    const lines = await readText(bought);
    expect(lines).toEqual(
      expect.arrayContaining([
        'Invoice',
        number,
        'Example Software GmbH',
        'Mariahilfer Straße 1',
        'VAT ID: ATU13585627',
        'Łukasz Müller & Σία OOO «Ромашка»',
        'Unter den Linden 1',
        'Germany',
        'VAT ID: DE136695976',
        'PO-4711',
        '1,200 svc credits',
        '$10.00',
        'Tax (20%)',
        '$2.00',
        'Total, paid',
        '$12.00',
      ]),
    );
    expect(lines.join('\n')).not.toContain('Reverse charge');
    expect(await differences()).toEqual([]);
  });

  test('of a business in another country states the reverse charge that the processor reported', async () => {
    const bought = await buy(DETAILS, { country: 'DE', tax_id: 'DE136695976' });
    const text = (await readText(bought)).join('\n');
    expect(text).toContain('Reverse charge: the tax is to be paid by the recipient.');
    expect(text).toContain('$0.00');
  });

  test('is issued to the business named in the form if the user has no billing details', async () => {
    const business = { business_name: 'Form AG', line1: 'Ring 3', postal_code: '1010', city: 'Wien' };
    const bought = await buy(null, { ...business, tax_id: 'ATU13585627' });
    expect(await readText(bought)).toEqual(
      expect.arrayContaining(['Form AG', 'Ring 3', '1010 Wien', 'Austria', 'VAT ID: ATU13585627']),
    );
  });

  test.each([
    ['no address', { business_name: 'Form AG', tax_id: 'ATU13585627' }],
    ['no tax id', { business_name: 'Form AG', line1: 'Ring 3' }],
    ['characters that it cannot show', { business_name: '株式会社', line1: 'Ring 3', tax_id: 'ATU13585627' }],
  ])('is not issued to a business with %s', async (_, business) => {
    expect(await documentsOf(await buy(null, business))).toEqual([]);
  });

  test('can be requested later, once, by the buyer only, and never changes @attack', async () => {
    const bought = await buy(null);
    expect(await requestInvoice(bought.userId, bought.id)).toEqual({
      ok: false,
      reason: 'no_billing_details',
    });
    await saveBillingDetails(bought.userId, DETAILS);
    const stranger = await newBuyer(DETAILS);
    expect(await requestInvoice(stranger.userId, bought.id)).toEqual({
      ok: false,
      reason: 'no_such_purchase',
    });
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => requestInvoice(bought.userId, bought.id)),
    );
    expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.number)).size).toBe(1);
    expect(await documentsOf(bought)).toEqual([['invoice', 1200, 200]]);

    const before = await readText(bought);
    await saveBillingDetails(bought.userId, { ...DETAILS, name: 'Somebody else' });
    expect(await readText(bought)).toEqual(before);
    await expect(
      prisma().invoice.updateMany({ where: { purchaseId: bought.id }, data: { amountMinor: 1 } }),
    ).rejects.toThrow(/append-only/);
    const [{ number = '' } = {}] = await listDocuments([bought.id]);
    expect(await findDocument(number, stranger.userId)).toBeNull();
  });

  test('has the same bytes each time it is opened', async () => {
    const bought = await buy();
    const [{ number = '' } = {}] = await listDocuments([bought.id]);
    const issued = await findDocument(number, bought.userId);
    if (issued === null) throw new Error('no such document');
    setClock(() => 0);
    expect(Buffer.compare(await renderPdf(issued), await renderPdf(issued))).toBe(0);
  });
});

describe('PDFs', () => {
  test('are rendered two at a time, 20 wait, and further requests are refused for now @attack', async () => {
    const bought = await buy();
    const [{ number = '' } = {}] = await listDocuments([bought.id]);
    const open = () => respondWithPdf(`${number}.pdf`, bought.userId);
    const responses = await Promise.all(Array.from({ length: 40 }, open));
    const statuses = responses.map((response) => response?.status);
    // Those that arrive late, while others are already done, are rendered too.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(22);
    expect(statuses).toContain(503);
    const refused = responses.find((response) => response?.status === 503);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect((await open())?.status).toBe(200);
  });
});

describe('credit notes', () => {
  test('follow partial refunds, and their tax adds up exactly', async () => {
    const bought = await buy();
    await refundPurchase(bought.id, 0.01);
    await refundPurchase(bought.id, 5);
    await refundPurchase(bought.id);
    const documents = await documentsOf(bought);
    expect(documents.map(([kind, amount]) => [kind, amount])).toEqual([
      ['invoice', 1200],
      ['credit_note', 1],
      ['credit_note', 500],
      ['credit_note', 699],
    ]);
    expect(documents.slice(1).reduce((sum, [, , tax]) => sum + Number(tax), 0)).toBe(200);
    const [{ number = '' } = {}] = await listDocuments([bought.id]);
    expect((await readText(bought, 2)).join('\n')).toMatch(
      new RegExp(`Credit note\n[^]*For invoice\n${number} of`),
    );
    expect(await differences()).toEqual([]);
  });

  test('are cancelled when the refund fails, or a dispute is won', async () => {
    const refunded = await buy();
    await refundPurchase(refunded.id);
    const { data } = await stripe.refunds.list({ payment_intent: refunded.paymentId });
    await control({ fail_refund: data[0]?.id });
    await applyReversals(refunded.paymentId, 'refund');
    expect(await documentsOf(refunded)).toEqual([
      ['invoice', 1200, 200],
      ['credit_note', 1200, 200],
      ['cancellation', 1200, 200],
    ]);
    const disputed = await buy(DETAILS, { number: DISPUTED });
    await applyReversals(disputed.paymentId, 'dispute');
    const dispute = (await stripe.disputes.list({ payment_intent: disputed.paymentId })).data[0]?.id;
    await control({ move_dispute: { id: dispute, status: 'won' } });
    await applyReversals(disputed.paymentId, 'dispute');
    expect((await documentsOf(disputed)).map(([kind]) => kind)).toEqual([
      'invoice',
      'credit_note',
      'cancellation',
    ]);
    expect(await differences()).toEqual([]);
  });

  test('of one moment are listed in the order in which they were issued', async () => {
    const bought = await buy();
    const moment = Date.now();
    setClock(() => moment);
    await refundPurchase(bought.id);
    const { data } = await stripe.refunds.list({ payment_intent: bought.paymentId });
    await control({ fail_refund: data[0]?.id });
    await applyReversals(bought.paymentId, 'refund');
    await refundPurchase(bought.id);
    expect((await documentsOf(bought)).map(([kind]) => kind)).toEqual([
      'invoice',
      'credit_note',
      'cancellation',
      'credit_note',
    ]);
  });

  test('are issued along with an invoice that is requested after a refund', async () => {
    const bought = await buy(null);
    await refundPurchase(bought.id, 3);
    expect(await documentsOf(bought)).toEqual([]);
    await saveBillingDetails(bought.userId, DETAILS);
    const moment = Date.now();
    setClock(() => moment);
    await requestInvoice(bought.userId, bought.id);
    await refundPurchase(bought.id, 2);
    expect(await documentsOf(bought)).toEqual([
      ['invoice', 1200, 200],
      ['credit_note', 300, 50],
      ['credit_note', 200, 33],
    ]);
  });

  test('that are missing are found by the audit', async () => {
    const bought = await buy();
    await prisma().purchase.update({ where: { id: bought.id }, data: { refundedMinor: 100 } });
    expect(await differences()).toEqual(
      expect.arrayContaining([
        expect.stringContaining('the invoice of a purchase and its credit notes add up'),
      ]),
    );
    await prisma().purchase.update({ where: { id: bought.id }, data: { refundedMinor: 0 } });
  });
});

describe('the numbers of a series', () => {
  const serialsOf = async (series: string) =>
    (await prisma().invoice.findMany({ where: { series }, orderBy: { serial: 'asc' } })).map(
      ({ serial }) => serial,
    );

  test('have no gap and no duplicate when 50 invoices are requested at once', async () => {
    setClock(() => Date.UTC(2031, 5, 1));
    const bought = await Promise.all(Array.from({ length: 8 }, () => buy(null)));
    await Promise.all(bought.map(({ userId }) => saveBillingDetails(userId, DETAILS)));
    await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => {
        const { userId, id } = bought[index % bought.length] as Bought;
        return requestInvoice(userId, index % 7 === 3 ? 'txn_unknown' : id);
      }),
    );
    expect(await serialsOf('INV-2031')).toEqual(bought.map((_, index) => index + 1));
  });
});
