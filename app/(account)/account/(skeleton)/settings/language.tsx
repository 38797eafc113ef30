'use client';

import { useState } from 'react';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { LANGUAGE_NAMES, LANGUAGES } from '@/texts/languages';
import { saveMyLanguage } from './language-actions';

/** Saved as soon as it is chosen. */
export function LanguageField({ language }: { language: string | null }) {
  const { run, isRunning, failure } = useAction(saveMyLanguage);
  const [shown, setShown] = useState(language ?? '');
  const choose = async (chosen: string) => {
    setShown(chosen);
    if (!(await run({ language: chosen })).ok) setShown(shown);
  };
  return (
    <SelectField
      label="Language"
      large
      className="max-w-md"
      value={shown}
      disabled={isRunning}
      error={failure?.message}
      hint="The checkout and sign-in pages, receipts, and e-mails about your credits. This account is in English."
      options={[
        { value: '', label: 'As in my browser' },
        ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
      ]}
      onChange={(event) => void choose(event.target.value)}
    />
  );
}
