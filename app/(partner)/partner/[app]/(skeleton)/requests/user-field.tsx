/** A user of the app, by the id that the app knows. Enter applies it. */
export function UserField({ user }: { user: string }) {
  return (
    <input
      type="search"
      name="user"
      defaultValue={user}
      aria-label="User id"
      placeholder="User id: au_…"
      autoComplete="off"
      spellCheck={false}
      className="h-11 w-full rounded-lg border border-field/60 bg-surface px-3 font-mono text-[13px] placeholder:text-muted hover:border-field sm:h-10 sm:w-60"
    />
  );
}
