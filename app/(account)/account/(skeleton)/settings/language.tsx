'use client';

import { LANGUAGE_NAMES, LANGUAGES } from '@/texts/languages';
import { ChoiceField } from './choice-field';
import { saveMyLanguage } from './language-actions';

export function LanguageField({ language }: { language: string | null }) {
  return (
    <ChoiceField
      label="Language"
      hint="For checkout, sign-in, receipts, and e-mails about your credits. This account is in English."
      value={language}
      options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
      save={(chosen) => saveMyLanguage({ language: chosen })}
    />
  );
}
