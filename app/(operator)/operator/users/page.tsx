import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { listUsers, type UserOrder } from '@/server/operator/list-users';
import { ChoiceLinks } from '../choice-links';
import { readPage } from '../read-page';
import { FindForm } from './find-form';
import { toUserRow } from './user-row';
import { UserTable } from './user-table';

export const metadata: Metadata = { title: 'Users' };

const PAGE_SIZE = 50;
const ORDERS: Record<UserOrder, string> = { newest: 'Newest', spent: 'Top spenders' };

type Props = { searchParams: Promise<{ order?: string | string[]; page?: string | string[] }> };

export default async function UsersPage({ searchParams }: Props) {
  await requireOperator();
  const asked = await searchParams;
  const order: UserOrder = asked.order === 'spent' ? 'spent' : 'newest';
  const page = readPage(asked.page);
  const offset = (page - 1) * PAGE_SIZE;
  const { users, hasMore } = await listUsers(order, { limit: PAGE_SIZE, offset });
  const pageAt = (other: number) => `/operator/users?order=${order}&page=${other}`;
  return (
    <>
      <PageHead title="Users" description="Credits, apps, requests, purchases and devices of each user." />
      <Section>
        <FindForm />
      </Section>
      <Section
        title={ORDERS[order]}
        description="Credits spent on requests in all apps. Dates are in UTC."
        actions={<ChoiceLinks label="Order" name="order" choices={ORDERS} current={order} />}
        flush
      >
        <UserTable caption={`Users: ${ORDERS[order].toLowerCase()}`} rows={users.map(toUserRow)} />
        <Pager
          newer={page > 1 ? pageAt(page - 1) : undefined}
          older={hasMore ? pageAt(page + 1) : undefined}
          position={`${offset + 1}–${offset + users.length}`}
        />
      </Section>
    </>
  );
}
