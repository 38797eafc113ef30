'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { useAction } from '@/app/_ui/use-action';
import { newSaveId } from '@/app/checkout/[visit]/save-id';
import { addCard } from './actions';

/** Leads to the processor's page, which returns here. */
export function AddCard({ look }: { look: 'primary' | 'secondary' }) {
  const { run, isRunning, failure } = useAction(addCard);
  const [isLeaving, setLeaving] = useState(false);
  const [buttonId] = useState(newSaveId);
  const add = async () => {
    const started = await run({ buttonId });
    if (!started.ok || !started.value) return;
    setLeaving(true);
    window.location.assign(started.value.url);
  };
  return (
    <div>
      <Button look={look} size="small" busy={isRunning || isLeaving} onClick={add}>
        Add card
      </Button>
      {failure && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {failure.message}
        </p>
      )}
    </div>
  );
}
