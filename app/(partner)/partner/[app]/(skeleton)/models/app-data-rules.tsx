'use client';

import type { ComponentProps } from 'react';
import { DataRulesForm } from '@/app/_ui/data-rules-form';
import { saveDataRules } from './actions';

type Props = Omit<ComponentProps<typeof DataRulesForm>, 'save'> & { partnerId: string };

export function AppDataRules({ partnerId, ...form }: Props) {
  return <DataRulesForm {...form} save={(choice) => saveDataRules({ partnerId, ...choice })} />;
}
