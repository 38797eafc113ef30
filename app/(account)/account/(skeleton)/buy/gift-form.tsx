'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';

/** Opens the page of a gift code, which shows what it gives. */
export function GiftForm() {
  const [code, setCode] = useState('');
  return (
    <form
      noValidate
      className="flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== '') window.location.assign(`/redeem/${encodeURIComponent(code.trim())}`);
      }}
    >
      <div className="min-w-0 flex-1">
        <TextField
          label="Gift code"
          name="gift_code"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={40}
          placeholder="ABCD-EFGH-JKMN-PQRS"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </div>
      <Button type="submit" look="secondary" className="mt-[1.625rem] h-12">
        Show gift
      </Button>
    </form>
  );
}
