'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { saveLanguage } from '@/server/people/language';
import { LANGUAGES } from '@/texts/languages';

export const saveMyLanguage = sessionAction(
  z.object({ language: z.enum(LANGUAGES).or(z.literal('')) }),
  async ({ userId }, { language }) => {
    await saveLanguage(userId, language === '' ? null : language);
    revalidatePath('/account', 'layout');
    return { ok: true, message: 'Language saved' };
  },
  { harmless: 'only decides in which language texts are shown' },
);
