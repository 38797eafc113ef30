'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { showToast } from './toasts';

const SHOWN_MS = 1_600;

/** A value to copy: a key, an address, an id. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      showToast('Your browser blocked copying. Select the text instead.', 'danger');
    }
  };
  return (
    <div className="flex items-center gap-1 rounded-lg border border-line bg-sunken pl-3 sm:py-1 sm:pr-1">
      <code className="min-w-0 flex-1 truncate font-mono text-[13px]" title={value}>
        {value}
      </code>
      <button
        type="button"
        onClick={copy}
        aria-label={isCopied ? `${label} copied` : `Copy ${label}`}
        className="grid size-11 shrink-0 place-items-center sm:size-9 rounded-md text-muted hover:bg-line/60 hover:text-text"
      >
        {isCopied ? <Check size={16} aria-hidden="true" /> : <Copy size={16} aria-hidden="true" />}
      </button>
    </div>
  );
}
