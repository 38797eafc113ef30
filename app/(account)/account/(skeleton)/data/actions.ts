'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { DATA_RULES, writeRules } from '@/server/base/data-rules';
import { saveUserDataRules } from '@/server/people/data-rules';
import { findExportRefusal } from '@/server/reports/account-data/export';

/** The file is then downloaded from its own address, which requires the same confirmation. */
export const startExport = sessionAction(z.undefined(), async (session) => {
  const refusal = await findExportRefusal(session, 'click');
  return refusal === null ? { ok: true } : { ok: false, message: refusal.message };
});

export const saveMyDataRules = sessionAction(
  z.object({ rules: z.array(z.enum(DATA_RULES)) }),
  async ({ userId }, { rules }) => {
    await saveUserDataRules(userId, writeRules(rules));
    return { ok: true, message: 'Data rules saved. They apply to the next request.' };
  },
);
