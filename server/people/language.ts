import { findFirstLanguage, type Language } from '../../texts/languages';
import { prisma } from '../base/db';

/** The language of a user: the one that the account chose, or that they last used in a checkout or to sign in. */

/** Null for the language of the browser. */
export async function saveLanguage(userId: string, language: Language | null): Promise<void> {
  await prisma().user.updateMany({ where: { id: userId, deletedAt: null }, data: { language } });
}

export async function rememberLanguage(userId: string, language: Language): Promise<void> {
  await prisma().$executeRaw`
    UPDATE "user" SET last_language = ${language}
    WHERE id = ${userId} AND deleted_at IS NULL AND last_language IS DISTINCT FROM ${language}`;
}

/** What a mail to a user needs of them. */
export const WHOSE_MAIL = { email: true, language: true, lastLanguage: true } as const;

/** Of mails, which know no browser. */
export const mailLanguageOf = (user: { language: string | null; lastLanguage: string | null }): Language =>
  findFirstLanguage(user.language, user.lastLanguage) ?? 'en';
