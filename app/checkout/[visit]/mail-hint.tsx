import type { Messages } from '../messages';

/** Where a code arrives in an installation that sends no mail. */
export function MailHint({ say, mailUrl }: { say: Messages; mailUrl: string | null }) {
  if (mailUrl === null) return null;
  return (
    <p className="mt-auto pt-6 text-center text-sm text-muted">
      {say.mailCaught}{' '}
      <a
        href={mailUrl}
        target="_blank"
        rel="noreferrer"
        className="text-accent underline underline-offset-[3px]"
      >
        {say.mailOpen}
      </a>
    </p>
  );
}
