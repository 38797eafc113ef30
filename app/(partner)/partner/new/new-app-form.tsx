'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { checkName } from '@/server/partners/name';
import { parseOrigin } from '@/server/partners/origin-rules';
import { parsePercent } from '@/server/partners/rate';
import { createApp } from './actions';

const START_PERCENT = '25';

/** Empty texts where nothing is proposed. */
type Proposal = { name: string; percent: string; origin: string };

type Props = {
  teams: { value: string; label: string }[];
  proposed: Proposal;
  /** The token of the program that proposed the app. */
  token?: string | undefined;
};

/** Fields that can all be changed later. Errors appear after the first submit. */
export function NewAppForm({ teams, proposed, token }: Props) {
  const router = useRouter();
  const [name, setName] = useState(proposed.name);
  const [percent, setPercent] = useState(proposed.percent || START_PERCENT);
  const [origin, setOrigin] = useState(proposed.origin);
  const [teamId, setTeamId] = useState(teams[0]?.value ?? '');
  const [isTried, setTried] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(createApp);
  const faults = findFaults({ name, percent, origin });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.values(faults).some((fault) => fault !== undefined)) return;
    const result = await run({ teamId: teamId || null, name, percent, origin, proposal: token });
    if (result.ok && result.value) router.push(`/partner/${result.value.partnerId}`);
  };
  const shown = (fault: string | undefined) => (isTried ? fault : undefined);

  return (
    <form onSubmit={submit} noValidate className="fields" onChange={clearFailure}>
      <TextField
        label="Name"
        value={name}
        error={failure?.field === 'name' ? failure.message : shown(faults.name)}
        hint="Users see it in the checkout and in their account."
        autoComplete="organization"
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Commission, %"
        value={percent}
        inputMode="decimal"
        error={shown(faults.percent)}
        hint="Added on top of the provider cost. 0 to 100."
        onChange={(event) => setPercent(event.target.value.replace(',', '.'))}
      />
      <TextField
        label="Origin of your site (optional)"
        value={origin}
        placeholder="https://app.example.com"
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        error={shown(faults.origin)}
        hint="Where the checkout may open. localhost always works."
        onChange={(event) => setOrigin(event.target.value)}
      />
      {teams.length > 1 && (
        <SelectField
          label="Team"
          value={teamId}
          options={teams}
          large
          hint="Its members manage the app and share its earnings."
          onChange={(event) => setTeamId(event.target.value)}
        />
      )}
      {failure && failure.field !== 'name' && <Notice kind="danger">{failure.message}</Notice>}
      <Button type="submit" size="large" busy={isRunning} className="w-full">
        Create app
      </Button>
    </form>
  );
}

function findFaults({ name, percent, origin }: Proposal): { [Field in keyof Proposal]?: string | undefined } {
  const checked = checkName(name);
  const parsed = origin.trim() === '' ? null : parseOrigin(origin);
  return {
    name: checked.ok ? undefined : checked.reason,
    percent: parsePercent(percent) === null ? 'Enter 0 to 100 with at most two decimals' : undefined,
    origin: parsed === null || parsed.ok ? undefined : capitalise(parsed.reason),
  };
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
