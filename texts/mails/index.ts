import type { Language } from '../languages';
import type { Translation } from '../say';
import { texts as de } from './de';
import { texts as en } from './en';
import { texts as es } from './es';
import { texts as fr } from './fr';
import { texts as it } from './it';
import { texts as ja } from './ja';
import { texts as nl } from './nl';
import { texts as pl } from './pl';
import { texts as ptBr } from './pt-br';
import { texts as zhCn } from './zh-cn';

/** Of mails and receipts. */
export const MAIL_TEXTS: Record<Language, Translation<typeof en>> = {
  en,
  de,
  fr,
  es,
  it,
  'pt-BR': ptBr,
  nl,
  pl,
  ja,
  'zh-CN': zhCn,
};
