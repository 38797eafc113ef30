type Props = {
  /** What the user can do in the account as well. */
  task: string;
  href: string;
  why?: string;
};

/** In place of the page of a link that was mailed or sent to an app. */
export function DeadLink({ task, href, why = 'It is incomplete or older than 30 days' }: Props) {
  return (
    <>
      <h1 className="text-2xl font-semibold">This link does not work</h1>
      <p className="mt-1.5 text-muted">
        {why}. You can {task} in{' '}
        <a href={href} className="underline">
          your account
        </a>
        .
      </p>
    </>
  );
}
