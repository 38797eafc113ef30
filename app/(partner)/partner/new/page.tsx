import type { Metadata } from 'next';
import { readPageTexts } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireSession } from '@/app/_session/session';
import { Notice } from '@/app/_ui/notice';
import { settings } from '@/server/base/env';
import { findFault } from '@/server/partners/proposals';
import { hasRight } from '@/server/partners/rights';
import { listTeams, newestAppOf, type TeamOfMember } from '@/server/partners/teams';
import { PartnerFrame } from '../../partner-frame';
import { NewAppForm } from './new-app-form';

export const metadata: Metadata = { title: 'New app' };

const MAX_PROPOSED_CHARACTERS = 255;

type Query = Record<string, string | string[]>;
type Props = { searchParams: Promise<Query> };

export default async function NewAppPage({ searchParams }: Props) {
  const { email } = await requireSession();
  const { PARTNER_SIGNUP: mode } = settings();
  const teams = await listTeams(email);
  const newest = newestAppOf(teams);
  return (
    <PartnerFrame back={newest && { href: `/partner/${newest.id}`, label: `Back to ${newest.name}` }}>
      <h1 className="text-2xl font-semibold tracking-tight">
        {newest ? 'New app' : 'Let your users bring their own credits'}
      </h1>
      <p className="mt-2 mb-8 text-muted">
        {newest
          ? 'With its own key, users, commission and earnings.'
          : 'Your app can call any model with a user’s key. Users pay for what they use, you earn a commission on each request, and there is no monthly fee.'}
      </p>
      {mode === 'closed' ? (
        <Notice kind="info">
          The operator of this service registers new apps. Ask them to create yours for the e-mail address you
          signed in with; it then appears here.
        </Notice>
      ) : (
        <>
          {mode === 'approval' && (
            <div className="mb-6">
              <Notice kind="info">
                New apps are reviewed before they go live. You can set everything up in the meantime; keys and
                checkout start working once yours is approved.
              </Notice>
            </div>
          )}
          <PresenceDialog texts={await readPageTexts('presence')}>
            <ProposedForm teams={teams} query={await searchParams} />
          </PresenceDialog>
        </>
      )}
    </PartnerFrame>
  );
}

/** What a link fills in, such as one of a coding agent. The form checks it like typed text. */
async function ProposedForm({ teams, query }: { teams: TeamOfMember[]; query: Query }) {
  const read = (name: string) => [query[name] ?? ''].flat()[0]?.slice(0, MAX_PROPOSED_CHARACTERS) ?? '';
  const token = read('proposal') || undefined;
  const fault = token === undefined ? null : await findFault(token);
  if (fault !== null) return <Notice kind="warning">{fault}</Notice>;
  const proposed = { name: read('name'), percent: read('percent'), origin: read('origin') };
  return (
    <>
      {token && (
        <div className="mb-6">
          <Notice kind="warning">
            A program filled in this form. It receives the publishable key of the app that you create, and
            your team is responsible for the app. Continue only if you asked a program to do this, and the
            origin is yours.
          </Notice>
        </div>
      )}
      <NewAppForm teams={choicesOf(teams)} proposed={proposed} token={token} />
    </>
  );
}

/** The teams that the app can belong to. A team of their own is offered before it exists. */
function choicesOf(teams: TeamOfMember[]): { value: string; label: string }[] {
  const open = teams.filter(({ role }) => hasRight(role, 'develop'));
  const ownsOne = open.some(({ role }) => role === 'owner');
  return [
    ...(ownsOne ? [] : [{ value: '', label: 'A new team' }]),
    ...open.map(({ teamId, name }) => ({ value: teamId, label: name })),
  ];
}
