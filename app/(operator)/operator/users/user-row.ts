import type { ListedUser } from '@/server/operator/list-users';
import { inCredits, inNumber } from '../write-amounts';

export type UserRow = {
  ref: string;
  href: string;
  email: string;
  since: string;
  credits: string;
  spent: string;
  requests: string;
  lastRequestAt: string | null;
};

export const toUserRow = (user: ListedUser): UserRow => ({
  ref: user.userRef,
  href: `/operator/users/${user.userRef}`,
  email: user.email,
  since: user.createdAt.toISOString(),
  credits: inCredits(user.credits),
  spent: inCredits(user.spent),
  requests: inNumber(user.requests),
  lastRequestAt: user.lastRequestAt?.toISOString() ?? null,
});
