'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { findExportRefusal } from '@/server/reports/account-data/export';

/** The file is then downloaded from its own address, which requires the same confirmation. */
export const startExport = sessionAction(z.undefined(), async (session) => {
  const refusal = await findExportRefusal(session, 'click');
  return refusal === null ? { ok: true } : { ok: false, message: refusal.message };
});
