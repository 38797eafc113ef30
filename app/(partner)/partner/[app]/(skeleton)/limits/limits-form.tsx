'use client';

import { type ComponentProps, useState } from 'react';
import { LimitForm } from '@/app/_ui/limit-form';
import { TextField } from '@/app/_ui/text-field';
import { saveLimitsOfApp, saveLimitsOfUser } from './actions';

type Props = Pick<ComponentProps<typeof LimitForm>, 'saved' | 'ceiling' | 'models'> & { partnerId: string };

/** The limits of all users of an app. */
export function AppLimitsForm({ partnerId, ...props }: Props) {
  return <LimitForm {...props} action={(typed) => saveLimitsOfApp({ partnerId, ...typed })} />;
}

/** The limits of one user, which replace those of all. */
export function UserLimitsForm({ partnerId, user: given, ...props }: Props & { user: string }) {
  const [user, setUser] = useState(given);
  return (
    <LimitForm
      {...props}
      label="Save limits of the user"
      action={(typed) => saveLimitsOfUser({ partnerId, user, ...typed })}
      before={(errorOf) => (
        <div className="sm:col-span-2">
          <TextField
            label="User ID"
            name="user"
            autoComplete="off"
            spellCheck={false}
            placeholder="au_…"
            value={user}
            error={errorOf('user')}
            onChange={(event) => setUser(event.target.value)}
          />
        </div>
      )}
    />
  );
}
