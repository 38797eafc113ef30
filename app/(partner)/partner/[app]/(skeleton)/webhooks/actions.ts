'use server';

import { z } from 'zod';
import * as deliveries from '@/server/webhooks/delivery-log';
import * as endpoint from '@/server/webhooks/endpoint';
import { sendTestEvent } from '@/server/webhooks/send-test-event';
import * as secrets from '@/server/webhooks/signing-secret';
import { ofApp, ownerAction } from '../../owner-action';
import { toSentNow } from './sent-now';

export const saveEndpoint = ownerAction(
  ofApp.extend({ url: z.string().max(4_000) }),
  async (app, { url }) => {
    const set = await endpoint.setEndpoint(app.id, url);
    if (!set.ok) return { ok: false, message: set.message, field: 'url' };
    return { ok: true, message: 'Endpoint saved', value: { url: set.url, warning: set.warning } };
  },
);

export const clearEndpoint = ownerAction(ofApp, async (app) => {
  await endpoint.clearEndpoint(app.id);
  return { ok: true, message: 'Endpoint removed' };
});

const TO_SAVED_ENDPOINT = { harmless: 'sends to the saved endpoint only' };

export const sendTest = ownerAction(
  ofApp,
  async (app) => {
    const sent = await sendTestEvent(app.id);
    return sent.ok ? { ok: true, value: toSentNow(sent) } : { ok: false, message: sent.message };
  },
  TO_SAVED_ENDPOINT,
);

export const resend = ownerAction(
  ofApp.extend({ eventId: z.string().max(64) }),
  async (app, { eventId }) => {
    const sent = await deliveries.resendDelivery(app.id, eventId);
    return sent.ok ? { ok: true, value: toSentNow(sent) } : { ok: false, message: sent.message };
  },
  TO_SAVED_ENDPOINT,
);

export const showSecrets = ownerAction(ofApp, async (app) => {
  const shown = await secrets.revealSecret(app.id);
  return shown === null
    ? { ok: false, message: 'There is no signing secret yet. Set an endpoint first' }
    : { ok: true, value: shown };
});

/** Creates the next secret and shows it next to the current one. */
export const beginRotation = ownerAction(ofApp, async (app) => {
  const begun = await secrets.beginSecretRotation(app.id);
  if (!begun.ok) return { ok: false, message: begun.message };
  const shown = await secrets.revealSecret(app.id);
  return shown === null
    ? { ok: false, message: 'There is no signing secret yet' }
    : { ok: true, value: shown };
});

export const finishRotation = ownerAction(ofApp, async (app) => {
  const finished = await secrets.finishSecretRotation(app.id);
  return finished.ok ? { ok: true, message: 'The new secret signs from now on' } : finished;
});

export const cancelRotation = ownerAction(ofApp, async (app) => {
  const cancelled = await secrets.cancelSecretRotation(app.id);
  return cancelled.ok ? { ok: true, message: 'Rotation cancelled' } : cancelled;
});
