'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { changeRole } from './actions';
import { GIVEN_ROLES, type GivenRole } from './roles';

type Props = { partnerId: string; email: string; role: GivenRole };

/** Saved with a button, because a change of rights is never made by scrolling over a list. */
export function RoleForm({ partnerId, email, role }: Props) {
  const [chosen, setChosen] = useState<GivenRole>(role);
  const { run, isRunning, failure, clearFailure } = useAction(changeRole);
  return (
    <>
      <SelectField
        label={`Role of ${email}`}
        labelHidden
        value={chosen}
        options={GIVEN_ROLES}
        onChange={(event) => {
          setChosen(event.target.value as GivenRole);
          clearFailure();
        }}
      />
      {chosen !== role && (
        <Button size="small" busy={isRunning} onClick={() => run({ partnerId, email, role: chosen })}>
          Save role
        </Button>
      )}
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </>
  );
}
