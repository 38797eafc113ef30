'use server';

import { z } from 'zod';
import { countOf } from '@/server/base/count-of';
import { DATA_RULES, writeRules } from '@/server/base/data-rules';
import { findServedModel } from '@/server/gateway/pricing/served';
import { changeApp } from '@/server/partners/app-facts';
import { setAllowedModels, setDataRules } from '@/server/partners/partner';
import { memberAction, ofApp } from '../../member-action';

const MAX_MODELS = 2_000;

const choice = ofApp.extend({
  /** Null allows all. */
  models: z.array(z.string().max(200)).max(MAX_MODELS).nullable(),
});

export const saveModels = memberAction('develop', choice, async (app, { models }, { userId }) => {
  const save = (chosen: string[] | null) =>
    changeApp({ app, actor: userId, what: 'app.models' }, (tx) => setAllowedModels(app.id, chosen, tx));
  if (models === null) {
    await save(null);
    return { ok: true, message: 'All models allowed' };
  }
  // A model that is currently not served stays allowed if it was before.
  const unknown = models.find((id) => findServedModel(id) === null && !app.allowedModels.includes(id));
  if (unknown !== undefined) return { ok: false, message: `Unknown model: ${unknown}`, field: 'models' };
  if (models.length === 0)
    return { ok: false, message: 'Choose at least one model. Without any, every request is refused' };
  await save([...new Set(models)]);
  return { ok: true, message: `${countOf(models.length, 'model')} allowed` };
});

const ruleChoice = ofApp.extend({ rules: z.array(z.enum(DATA_RULES)) });

export const saveDataRules = memberAction('develop', ruleChoice, async (app, { rules }, { userId }) => {
  await changeApp({ app, actor: userId, what: 'app.data_rules' }, (tx) =>
    setDataRules(app.id, writeRules(rules), tx),
  );
  return { ok: true, message: 'Data rules saved. They apply to the next request.' };
});
