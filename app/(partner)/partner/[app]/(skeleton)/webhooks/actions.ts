'use server';

import { z } from 'zod';
import { recordOfApp, recordWebhookChange } from '@/server/partners/app-facts';
import * as deliveries from '@/server/partners/webhooks/delivery-log';
import * as endpoint from '@/server/partners/webhooks/endpoint';
import { sendTestEvent } from '@/server/partners/webhooks/send-test-event';
import * as secrets from '@/server/partners/webhooks/signing-secret';
import { memberAction, ofApp } from '../../member-action';
import { toSentNow } from './sent-now';

export const saveEndpoint = memberAction(
  'develop',
  ofApp.extend({ url: z.string().max(4_000) }),
  async (app, { url }, { userId: actor }) => {
    const asked = { app, actor, what: 'app.webhook' };
    const set = await recordWebhookChange(asked, () => endpoint.setEndpoint(app.id, url, actor));
    if (!set.ok) return { ok: false, message: set.message, field: 'url' };
    return { ok: true, message: 'Endpoint saved', value: { url: set.url, warning: set.warning } };
  },
);

export const clearEndpoint = memberAction('develop', ofApp, async (app, _, { userId: actor }) => {
  const asked = { app, actor, what: 'app.webhook_remove' };
  await recordWebhookChange(asked, () => endpoint.clearEndpoint(app.id));
  return { ok: true, message: 'Endpoint removed' };
});

const TO_SAVED_ENDPOINT = { harmless: 'sends to the saved endpoint only' };

export const sendTest = memberAction(
  'develop',
  ofApp,
  async (app) => {
    const sent = await sendTestEvent(app.id);
    return sent.ok ? { ok: true, value: toSentNow(sent) } : { ok: false, message: sent.message };
  },
  TO_SAVED_ENDPOINT,
);

export const resend = memberAction(
  'develop',
  ofApp.extend({ eventId: z.string().max(64) }),
  async (app, { eventId }) => {
    const sent = await deliveries.resendDelivery(app.id, eventId);
    return sent.ok ? { ok: true, value: toSentNow(sent) } : { ok: false, message: sent.message };
  },
  TO_SAVED_ENDPOINT,
);

export const createSecret = memberAction('develop', ofApp, async (app, _, { userId: actor }) => {
  const isNew = await secrets.createSecret(app.id);
  if (isNew) await recordOfApp({ app, actor, what: 'app.secret_create' });
  return { ok: true, message: 'Signing secret created' };
});

export const showSecrets = memberAction('develop', ofApp, async (app, _, { userId: actor }) => {
  const shown = await secrets.revealSecret(app.id);
  if (shown === null) return { ok: false, message: 'There is no signing secret yet. Create one first' };
  await recordOfApp({ app, actor, what: 'app.secret_show' });
  return { ok: true, value: shown };
});

/** Creates the next secret and shows it next to the current one. */
export const beginRotation = memberAction('develop', ofApp, async (app, _, { userId: actor }) => {
  const begun = await secrets.beginSecretRotation(app.id);
  if (!begun.ok) return { ok: false, message: begun.message };
  await recordOfApp({ app, actor, what: 'app.secret_rotate' });
  const shown = await secrets.revealSecret(app.id);
  return shown === null
    ? { ok: false, message: 'There is no signing secret yet' }
    : { ok: true, value: shown };
});

export const finishRotation = memberAction('develop', ofApp, async (app, _, { userId: actor }) => {
  const finished = await secrets.finishSecretRotation(app.id);
  if (!finished.ok) return finished;
  await recordOfApp({ app, actor, what: 'app.secret_use' });
  return { ok: true, message: 'The new secret signs from now on' };
});

export const cancelRotation = memberAction('develop', ofApp, async (app, _, { userId: actor }) => {
  const cancelled = await secrets.cancelSecretRotation(app.id);
  if (!cancelled.ok) return cancelled;
  await recordOfApp({ app, actor, what: 'app.secret_cancel' });
  return { ok: true, message: 'Rotation cancelled' };
});
