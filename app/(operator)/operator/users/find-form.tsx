'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { findUser } from './actions';
import type { UserRow } from './user-row';
import { UserTable } from './user-table';

type Matches = { rows: UserRow[]; hasMore: boolean };

/** The input is posted and never becomes part of the page's URL. */
export function FindForm() {
  const router = useRouter();
  const [name, setName] = useState('');
  const [matches, setMatches] = useState<Matches | null>(null);
  const { run, isRunning, failure, clearFailure } = useAction(findUser);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const found = await run({ name });
    if (!found.ok || !found.value) return setMatches(null);
    if ('page' in found.value) router.push(found.value.page);
    else setMatches({ rows: found.value.matches, hasMore: found.value.hasMore });
  };
  return (
    <>
      <form onSubmit={submit} noValidate className="fields max-w-xl">
        <TextField
          label="E-mail or ID"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={name}
          hint="A part of the e-mail address, the beginning of an app user ID (au_…), or the ID of a purchase (txn_…), a checkout session (cks_…) or a charged request (req_…)"
          error={failure?.message}
          onChange={(event) => {
            setName(event.target.value);
            clearFailure();
          }}
        />
        <Button type="submit" busy={isRunning}>
          Find user
        </Button>
      </form>
      {matches && <MatchList {...matches} />}
    </>
  );
}

function MatchList({ rows, hasMore }: Matches) {
  return (
    <div className="-mx-5 mt-5 -mb-5 border-t border-line">
      <UserTable caption="Users found" rows={rows} />
      <p role="status" className="border-t border-line px-5 py-3 text-sm text-muted">
        {hasMore
          ? `The newest ${rows.length} users that match. Enter more to see the others.`
          : rows.length === 1
            ? '1 user matches.'
            : `${rows.length} users match.`}
      </p>
    </div>
  );
}
