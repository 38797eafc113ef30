import type { Right, Role } from '@/server/partners/rights';

export const ROLE_WORDS: Record<Role, string> = {
  owner: 'Owner',
  developer: 'Developer',
  finance: 'Finance',
  viewer: 'Viewer',
};

export const RIGHT_WORDS: Record<Right, string> = {
  view: 'See everything about the apps and the team',
  develop: 'Change origins, keys, webhooks, models and names and profiles; add and pause apps',
  delete_app: 'Delete an app',
  rate: 'Change the commission',
  see_payouts: 'See payouts',
  payouts: 'Change payee details and the payout account; ask for a payout',
  replace_account: 'Disconnect the payout account',
  members: 'Invite and remove members, change their roles, hand over the ownership',
};

/** The roles that an owner can give, least first. */
export const GIVEN_ROLES = (['viewer', 'finance', 'developer'] as const).map((value) => ({
  value,
  label: ROLE_WORDS[value],
}));
export type GivenRole = (typeof GIVEN_ROLES)[number]['value'];
