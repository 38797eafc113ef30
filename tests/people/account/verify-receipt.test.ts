import { describe, expect, it } from 'vitest';
import { verifyReceipt } from '@/app/(account)/account/activity/[request]/verify-receipt';
import { writeKeySet } from '@/server/api/statements';
import { findUserReceipt } from '@/server/reports/activity/user-receipt';
import { findReceiptProof } from '@/server/reports/statements/read-statements';
import { listSigningKeys, openSigner } from '@/server/reports/statements/signing-keys';
import { newDatabase } from '../../harness';
import { joinApp, newUser, recordRequest } from './person';

await newDatabase();

async function newReceipt() {
  const userId = await newUser();
  const { partnerId } = await joinApp(userId, 'Notes');
  const requestId = await recordRequest(userId, { partnerId, at: '2026-11-20T10:00:00Z' });
  const [receipt, proof] = [
    await findUserReceipt(userId, requestId),
    await findReceiptProof(userId, requestId),
  ];
  if (receipt === null || proof === null) throw new Error('There is no receipt');
  const { keys } = writeKeySet(await listSigningKeys());
  return { receipt, signed: proof.receipt, keys, shown: { requestId, charge: String(receipt.charge) } };
}

describe('the button that verifies a receipt', () => {
  it('accepts the signed receipt that the page shows, with its rate', async () => {
    const { receipt, signed, keys, shown } = await newReceipt();
    expect(receipt.rateBp).toBe(2500);
    expect(await verifyReceipt(signed, keys, shown)).toBe('verified');
  });

  it('refuses a changed receipt, another one, another signature and an unknown key @attack', async () => {
    const { signed, keys, shown } = await newReceipt();
    const [header = '', payload = '', signature = ''] = signed.split('.');
    const dearer = Buffer.from(payload, 'base64url')
      .toString()
      .replace(/"charged":\d+/, '"charged":1');
    const forged = [header, Buffer.from(dearer).toString('base64url'), signature].join('.');
    const price = (await openSigner()).sign('svc-price', {
      request_id: shown.requestId,
      charged: Number(shown.charge),
    });
    const refused = [
      verifyReceipt(forged, keys, { ...shown, charge: '1' }),
      verifyReceipt(signed, keys, { ...shown, charge: '1' }),
      verifyReceipt(signed, keys, { ...shown, requestId: 'req_other' }),
      verifyReceipt(price, keys, shown),
      verifyReceipt(signed, [], shown),
      verifyReceipt(
        signed,
        keys.map((key) => ({ ...key, x: 'short' })),
        shown,
      ),
      ...['', 'a.b.c', `${header}.${payload}.`, `${header}.${payload}.ä`].map((text) =>
        verifyReceipt(text, keys, shown),
      ),
    ];
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['failed']));
  });
});
