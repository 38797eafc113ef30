/** What the members of a team may do, by role. docs/teams.md has the same table in words. */

export const ROLES = ['owner', 'developer', 'finance', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const RIGHTS = {
  /** Every page of the apps and of the team, except payouts. */
  view: ROLES,
  /** Origins, redirect addresses, keys, networks, webhooks, models, limits of users, names, new apps, pausing one. */
  develop: ['owner', 'developer'],
  /** Deleting an app. */
  delete_app: ['owner'],
  /** The commission. */
  rate: ['owner', 'finance'],
  see_payouts: ['owner', 'finance', 'viewer'],
  /** Payee details, the payout account, asking for a payout. */
  payouts: ['owner', 'finance'],
  /** Disconnecting the payout account, to begin again with another one. */
  replace_account: ['owner'],
  /** Inviting and removing people, their roles, the team's name, handing over ownership. */
  members: ['owner'],
} as const satisfies Record<string, readonly Role[]>;
export type Right = keyof typeof RIGHTS;

export function hasRight(role: Role, right: Right): boolean {
  return rolesWith(right).includes(role);
}

function rolesWith(right: Right): readonly Role[] {
  return RIGHTS[right];
}

export function isRight(text: unknown): text is Right {
  return typeof text === 'string' && Object.hasOwn(RIGHTS, text);
}

/** "Only the owner and developers": who may do what a member of another role may not. */
export function writeRolesWith(right: Right): string {
  const words = rolesWith(right).map((role) => PLURALS[role]);
  return `Only ${new Intl.ListFormat('en-GB').format(words)}`;
}

const PLURALS: Record<Role, string> = {
  owner: 'the owner',
  developer: 'developers',
  finance: 'members with the role finance',
  viewer: 'viewers',
};
