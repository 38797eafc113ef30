'use client';

import { useState } from 'react';
import { TextField } from './text-field';

export type Model = { id: string; label: string };

type Props = {
  models: Model[];
  chosen: string[];
  error: string | undefined;
  onChange(chosen: string[]): void;
};

/** The catalogue with a search. Chosen models come first and stay in the list. */
export function ModelPicker({ models, chosen, error, onChange }: Props) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/);
  const found = listAll(models, chosen).filter(({ id, label }) =>
    words.every((word) => `${id} ${label}`.toLowerCase().includes(word)),
  );
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return (
    <fieldset className="mt-4">
      <legend className="sr-only">Models</legend>
      <TextField
        label="Search models"
        type="search"
        autoComplete="off"
        value={search}
        hint={`${chosen.length} selected`}
        error={error}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul aria-label="Models found" className="mt-2 max-h-64 overflow-y-auto rounded-lg border border-line">
        {found.map(({ id, label }) => (
          <li key={id} className="border-line not-last:border-b">
            <label className="flex min-h-11 items-center gap-3 px-3.5 py-1.5 text-sm hover:bg-sunken">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() => toggle(id)}
                className="size-4 shrink-0 accent-(--accent)"
              />
              <span className="min-w-0">
                <span className="block">{label}</span>
                <span className="block text-[13px] text-muted wrap-anywhere">{id}</span>
              </span>
            </label>
          </li>
        ))}
        {found.length === 0 && <li className="px-3.5 py-3 text-sm text-muted">No model matches.</li>}
      </ul>
    </fieldset>
  );
}

/** A chosen model that is no longer served can be removed. */
function listAll(models: Model[], chosen: string[]): Model[] {
  const gone = chosen
    .filter((id) => !models.some((model) => model.id === id))
    .map((id) => ({ id, label: id }));
  return [...gone, ...models].sort((a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)));
}
