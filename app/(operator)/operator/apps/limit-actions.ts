'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { typedLimits } from '@/server/base/typed-limits';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { changeDefaultLimits, changePartner } from '@/server/operator/change-partner';
import { readUserLimits, type UserLimits } from '@/server/partners/user-limits';

const asked = z.object({
  ...typedLimits,
  models: z.string().max(20_000),
  reason: z.string().max(600),
});

export const setLimitCeiling = operatorAction(
  asked.extend({ partnerId: z.string().max(100) }),
  async ({ email }, { partnerId, reason, ...typed }) => {
    const change = { do: 'limit_ceiling', limits: requireLimits(typed) } as const;
    await changePartner({ operator: email, partnerId, reason, change });
    revalidatePath(`/operator/apps/${partnerId}`);
    return { ok: true, message: 'Ceiling saved' };
  },
);

export const setDefaultLimits = operatorAction(asked, async ({ email }, { reason, ...typed }) => {
  await changeDefaultLimits({ operator: email, reason }, requireLimits(typed));
  revalidatePath('/operator/apps', 'layout');
  return { ok: true, message: 'Default limits saved' };
});

function requireLimits({ models: text, ...typed }: Omit<z.output<typeof asked>, 'reason'>): UserLimits {
  const models = text.split(/[\s,]+/).filter((id) => id !== '');
  const unknown = typed.rule === 'all' ? undefined : models.find((id) => findCatalogModel(id) === null);
  if (unknown) throw new ApiError('invalid_request', `Unknown model: ${unknown}`, { param: 'models' });
  const read = readUserLimits({ ...typed, models });
  if (read.refusal)
    throw new ApiError('invalid_request', read.refusal.message, { param: read.refusal.field });
  return read.limits;
}
