'use client';

import { useEffect, useState } from 'react';
import { Button } from '../../_ui/button';
import type { Mail } from './read-mails';

const REFRESH_MS = 2000;

/** Every e-mail this installation would have sent. Polls for new ones while the page is visible. */
export function Mailbox({ to, first }: { to: string | null; first: Mail[] }) {
  const [mails, setMails] = useState(first);

  useEffect(() => {
    const url = `/dev/mail/messages${to === null ? '' : `?to=${encodeURIComponent(to)}`}`;
    async function refresh() {
      if (document.visibilityState !== 'visible') return;
      const response = await fetch(url).catch(() => null);
      if (response?.ok) setMails((await response.json()) as Mail[]);
    }
    const timer = setInterval(refresh, REFRESH_MS);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [to]);

  return (
    <main className="mx-auto w-full max-w-[680px] px-5 py-10 sm:py-16">
      <h1 className="text-2xl font-semibold">Test mailbox</h1>
      <p className="mt-2 text-muted">
        This installation does not send e-mail. Messages are captured and shown here.
        {to !== null && ` Showing only messages to ${to}.`}
      </p>
      {mails.length === 0 ? (
        <div className="mt-10 rounded-2xl border border-dashed border-field/60 px-6 py-16 text-center">
          <p className="font-medium">No messages yet</p>
          <p className="mt-1 text-sm text-muted">New messages appear automatically.</p>
        </div>
      ) : (
        <ol aria-live="polite" className="mt-8 grid gap-3">
          {mails.map((mail) => (
            <MailCard key={mail.id} mail={mail} />
          ))}
        </ol>
      )}
    </main>
  );
}

function MailCard({ mail }: { mail: Mail }) {
  const code = findCode(mail);
  return (
    <li className="rounded-2xl border border-line bg-surface p-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="font-medium break-words">{mail.subject}</h2>
          <p className="mt-0.5 text-sm wrap-anywhere text-muted">
            To {mail.to.join(', ')} · <Time at={mail.received_at} />
          </p>
        </div>
        {code !== null && <Code code={code} />}
      </div>
      <details className="mt-2">
        <summary className="inline-flex min-h-11 items-center rounded text-sm text-muted hover:text-text sm:min-h-8">
          Show text
        </summary>
        <p className="mt-2 rounded-lg bg-sunken p-4 font-mono text-[13px] break-words whitespace-pre-wrap">
          {mail.text}
        </p>
      </details>
    </li>
  );
}

function Code({ code }: { code: string }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(code).catch(() => {});
    setCopied(true);
    setTimeout(() => setCopied(false), REFRESH_MS);
  }
  return (
    <div className="flex items-center gap-2">
      <span className="rounded-lg bg-sunken px-4 py-1.5 font-mono text-2xl tracking-[0.12em] tabular-nums select-all">
        {code}
      </span>
      <Button look="secondary" className="w-24" onClick={() => void copy()}>
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
      </Button>
    </div>
  );
}

/** Server and browser may be in different time zones, so the browser fills in the time. */
function Time({ at }: { at: string }) {
  const [text, setText] = useState('');
  useEffect(() => setText(new Date(at).toLocaleTimeString()), [at]);
  return <time dateTime={at}>{text}</time>;
}

function findCode({ subject, text }: Mail): string | null {
  return /\b\d{6}\b/.exec(subject)?.[0] ?? /\b\d{6}\b/.exec(text)?.[0] ?? null;
}
