'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { readBrowser } from '@/app/_session/browser';
import type { Session } from '@/app/_session/session';
import { type CodeReader, decideDevice, findWaitingDevice } from '@/server/people/device-authorization';

const entry = z.object({ code: z.string().max(40) });

export const findDevice = sessionAction(
  entry,
  async (session, { code }) => {
    const found = await findWaitingDevice(code, await readerOf(session));
    if (found === null) return NOT_WAITING;
    return { ok: true, value: { ...found, startedAt: found.startedAt.toISOString() } };
  },
  { harmless: 'only names the app that waits' },
);

/** Gives the program a key, so it needs a confirmation: someone else may have begun it and sent the code. */
export const allowDevice = sessionAction(entry, async (session, { code }) =>
  (await decideDevice(code, await readerOf(session), 'allow')) ? { ok: true } : NOT_WAITING,
);

export const refuseDevice = sessionAction(
  entry,
  async (session, { code }) =>
    (await decideDevice(code, await readerOf(session), 'refuse')) ? { ok: true } : NOT_WAITING,
  { harmless: 'gives nothing to anyone' },
);

const NOT_WAITING = {
  ok: false,
  code: 'not_waiting',
  message: 'No device is waiting for this code. Check it, or begin again on the device to get a new one.',
  field: 'code',
} as const;

async function readerOf({ userId, sessionId }: Session): Promise<CodeReader> {
  const { clientIp } = await readBrowser();
  return { userId, sessionId, clientIp };
}
