'use server';

import { z } from 'zod';
import { setAllowedModels } from '@/server/partners/partner';
import { findServedModel } from '@/server/pricing/served';
import { ofApp, ownerAction } from '../../owner-action';

const MAX_MODELS = 2_000;

const choice = ofApp.extend({
  /** Null allows all. */
  models: z.array(z.string().max(200)).max(MAX_MODELS).nullable(),
});

export const saveModels = ownerAction(choice, async (app, { models }) => {
  if (models === null) {
    await setAllowedModels(app.id, null);
    return { ok: true, message: 'All models allowed' };
  }
  // A model that is currently not served stays allowed if it was before.
  const unknown = models.find((id) => findServedModel(id) === null && !app.allowedModels.includes(id));
  if (unknown !== undefined) return { ok: false, message: `Unknown model: ${unknown}`, field: 'models' };
  if (models.length === 0)
    return { ok: false, message: 'Choose at least one model: with none, every request is refused' };
  await setAllowedModels(app.id, [...new Set(models)]);
  return { ok: true, message: models.length === 1 ? '1 model allowed' : `${models.length} models allowed` };
});
