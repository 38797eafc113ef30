import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { FindForm } from './find-form';

export const metadata: Metadata = { title: 'Users' };

export default async function UsersPage() {
  await requireOperator();
  return (
    <>
      <PageHead
        title="Users"
        description="Look up a user’s credits, apps, requests, purchases and devices."
      />
      <Section>
        <FindForm />
      </Section>
    </>
  );
}
