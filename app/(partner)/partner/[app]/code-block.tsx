'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { showToast } from '@/app/_ui/toasts';

const SHOWN_MS = 1_600;

/** A copyable block of code. */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      showToast('Your browser blocked copying. Select the text instead.', 'danger');
    }
  };
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line pl-4 text-[13px] sm:py-1 sm:pr-1 text-muted">
        {label}
        <button
          type="button"
          onClick={copy}
          aria-label={isCopied ? `${label} copied` : `Copy ${label}`}
          className="grid size-11 place-items-center sm:size-9 rounded-md hover:bg-line/60 hover:text-text"
        >
          {isCopied ? <Check size={16} aria-hidden="true" /> : <Copy size={16} aria-hidden="true" />}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-4 font-mono text-[13px] leading-relaxed">
        {code}
      </pre>
    </div>
  );
}
