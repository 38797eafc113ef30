import { describe, expect, it } from 'vitest';
import { prisma } from '@/server/base/db';
import { createPartner } from '@/server/partners/partner';
import { clearEndpoint, readEndpoint, setEndpoint } from '@/server/partners/webhooks/endpoint';
import {
  beginSecretRotation,
  cancelSecretRotation,
  finishSecretRotation,
  revealSecret,
} from '@/server/partners/webhooks/signing-secret';
import { newDatabase } from '../../harness';
import {
  allowLoopback,
  deliverDue,
  newListeningPartner,
  readDelivery,
  recordKey,
  recordTest,
} from './hook-world';
import { startReceiver } from './receiver';

await newDatabase();
allowLoopback();

const newPartnerId = async () => (await createPartner({ name: 'Acme', rateBp: 0, origins: [] })).id;

describe('an endpoint', () => {
  it('gets a secret of 32 random bytes, which is kept when the address changes or is cleared', async () => {
    const id = await newPartnerId();
    expect(await readEndpoint(id)).toEqual({
      url: null,
      hasSecret: false,
      isRotating: false,
      isPaused: false,
    });
    expect(await revealSecret(id)).toBeNull();
    const set = await setEndpoint(id, 'http://127.0.0.1:9/hook');
    expect(set).toMatchObject({ ok: true, url: 'http://127.0.0.1:9/hook', warning: null });
    const secret = set.ok ? set.secret : '';
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/);
    await clearEndpoint(id);
    expect(await readEndpoint(id)).toMatchObject({ url: null, hasSecret: true });
    expect(await setEndpoint(id, 'http://127.0.0.1:9/other')).toMatchObject({ ok: true, secret });
    expect(await revealSecret(id)).toEqual({ secret, nextSecret: null });
  });

  it('has a sealed secret that the table does not reveal', async () => {
    const { id, secret } = await newListeningPartner('http://127.0.0.1:9/hook');
    const row = await prisma().partner.findUniqueOrThrow({ where: { id } });
    expect(Buffer.from(row.webhookSecret ?? []).includes(secret.slice(6))).toBe(false);
  });

  it('has one secret, even if two callers create it at the same time', async () => {
    const id = await newPartnerId();
    const both = await Promise.all([1, 2].map((n) => setEndpoint(id, `http://127.0.0.1:9/${n}`)));
    expect(new Set(both.map((set) => set.ok && set.secret)).size).toBe(1);
  });

  it('is accepted with a warning when its host name does not resolve', async () => {
    const set = await setEndpoint(await newPartnerId(), 'https://nobody.has.this.example./hook');
    expect(set).toMatchObject({ ok: true, url: 'https://nobody.has.this.example/hook' });
    expect(set.ok && set.warning).toContain('nobody.has.this.example could not be resolved');
  });

  it('cancels waiting events when it is cleared, erases their keys, and starts empty with the next address', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const [key, test] = [await recordKey(id), await recordTest(id)];
    await clearEndpoint(id);
    await setEndpoint(id, receiver.url);
    const fresh = await recordTest(id);
    await deliverDue();
    expect(receiver.received.map((got) => got.id)).toEqual([fresh]);
    expect(await readDelivery(key)).toMatchObject({ status: 'stopped', event: { body: null } });
    expect(await readDelivery(test)).toMatchObject({ status: 'stopped', attempts: 0 });
  });
});

describe('the signing secret', () => {
  it('is replaced in two steps: generated first, and used only after the rotation is finished', async () => {
    const { id, secret } = await newListeningPartner('http://127.0.0.1:9/hook');
    const begun = await beginSecretRotation(id);
    const next = begun.ok ? begun.nextSecret : '';
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    expect(await beginSecretRotation(id)).toEqual({ ok: true, nextSecret: next });
    expect(await revealSecret(id)).toEqual({ secret, nextSecret: next });
    expect((await readEndpoint(id)).isRotating).toBe(true);
    expect(await finishSecretRotation(id)).toEqual({ ok: true });
    expect(await revealSecret(id)).toEqual({ secret: next, nextSecret: null });
    expect(await finishSecretRotation(id)).toMatchObject({ ok: false, reason: 'no_rotation' });
  });

  it('is kept when the rotation is cancelled', async () => {
    const { id, secret } = await newListeningPartner('http://127.0.0.1:9/hook');
    await beginSecretRotation(id);
    expect(await cancelSecretRotation(id)).toEqual({ ok: true });
    expect(await revealSecret(id)).toEqual({ secret, nextSecret: null });
    expect(await cancelSecretRotation(id)).toMatchObject({ ok: false, reason: 'no_rotation' });
  });

  it('cannot be rotated before it exists', async () => {
    expect(await beginSecretRotation(await newPartnerId())).toMatchObject({ ok: false, reason: 'no_secret' });
  });
});
