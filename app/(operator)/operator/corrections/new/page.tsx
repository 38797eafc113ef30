import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { nowDate } from '@/server/base/clock';
import { CorrectionForm } from './correction-form';

export const metadata: Metadata = { title: 'Propose corrections' };

export default async function NewCorrectionsPage() {
  await requireOperator();
  return (
    <>
      <PageHead
        back={{ href: '/operator/corrections', label: 'Corrections' }}
        title="Propose corrections"
        description="Finds requests that were charged more than the rules say. Nothing is proposed before you have seen the result, and nothing is booked before an operator approves it."
      />
      <CorrectionForm today={nowDate().toISOString().slice(0, 10)} />
    </>
  );
}
