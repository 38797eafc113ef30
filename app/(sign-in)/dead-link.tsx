/** In place of the page of a link in a mail. `task` is what the user can do in the account as well. */
export function DeadLink({
  task,
  href,
  why = 'It is incomplete or older than 30 days',
}: {
  task: string;
  href: string;
  why?: string;
}) {
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
