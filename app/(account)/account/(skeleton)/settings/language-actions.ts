'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { saveLanguage } from '@/server/people/language';
import { LANGUAGES } from '@/texts/languages';

export const saveMyLanguage = sessionAction(
  z.object({ language: z.string().max(35) }),
  async ({ userId }, { language }) => {
    const chosen = LANGUAGES.find((known) => known === language) ?? null;
    if (chosen === null && language !== '')
      return { ok: false, field: 'language', message: 'Choose a language.' };
    await saveLanguage(userId, chosen);
    revalidatePath('/account', 'layout');
    return { ok: true, message: 'Language saved' };
  },
  { harmless: 'only decides in which language texts are shown' },
);
