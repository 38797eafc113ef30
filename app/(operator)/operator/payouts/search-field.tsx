/** A form without a script: names and references may appear in the address. */
export function SearchField({ text }: { text: string }) {
  return (
    <search className="w-full sm:w-72">
      <form action="/operator/payouts">
        <input
          key={text}
          type="search"
          name="q"
          aria-label="Search payouts"
          placeholder="Team, app, ID or reference"
          defaultValue={text}
          maxLength={200}
          autoComplete="off"
          className="h-11 w-full rounded-lg border border-field/60 bg-surface px-3 text-base placeholder:text-muted/80 hover:border-field sm:h-9 sm:text-sm"
        />
      </form>
    </search>
  );
}
