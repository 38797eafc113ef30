'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

const SHOWN_MS = 1_600;

/** Copies a text and reports success or failure, also to screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  const copy = async () => {
    const next = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'refused' as const,
    );
    setState(next);
    setTimeout(() => setState('idle'), SHOWN_MS);
  };
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={`Copy ${what}`}
      className="inline-flex h-11 items-center sm:h-8 gap-1.5 rounded-md px-2 text-xs text-muted hover:bg-line/60 hover:text-text"
    >
      {state === 'copied' ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      <span aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Select and copy' : 'Copy'}
      </span>
    </button>
  );
}
