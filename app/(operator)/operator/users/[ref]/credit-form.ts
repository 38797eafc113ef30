export type CreditForm = {
  isOpen: boolean;
  /** The second step, in which the operator confirms the amounts. */
  isReview: boolean;
  /** The first step was submitted as it is, so what is missing is marked. */
  isChecked: boolean;
  pocket: number;
  credits: string;
  reason: string;
  /** One id per opened dialog: a change that is sent twice is booked once. */
  changeId: string;
};

export type CreditFormEvent =
  | { type: 'opened'; changeId: string }
  | { type: 'closed' }
  | { type: 'edited'; field: Partial<Pick<CreditForm, 'pocket' | 'credits' | 'reason'>> }
  | { type: 'review_requested' }
  | { type: 'edit_requested' };

export const CLOSED: CreditForm = {
  isOpen: false,
  isReview: false,
  isChecked: false,
  pocket: 0,
  credits: '',
  reason: '',
  changeId: '',
};

export function reduce(form: CreditForm, event: CreditFormEvent): CreditForm {
  switch (event.type) {
    case 'opened':
      return { ...CLOSED, pocket: form.pocket, isOpen: true, changeId: event.changeId };
    case 'closed':
      return { ...form, isOpen: false };
    case 'edited':
      return { ...form, ...event.field, isChecked: false };
    case 'review_requested':
      return { ...form, isReview: isComplete(form), isChecked: true };
    case 'edit_requested':
      return { ...form, isReview: false };
  }
}

const AMOUNT = /^\d{1,10}(\.\d{1,6})?$/;

export const isAmount = (credits: string): boolean => AMOUNT.test(credits.trim());

const isComplete = (form: CreditForm): boolean =>
  findCreditsError(form) === undefined && findReasonError(form) === undefined;

export const findCreditsError = ({ credits }: CreditForm): string | undefined =>
  isAmount(credits) && Number(credits) > 0 ? undefined : 'Enter a number of credits above zero.';

export const findReasonError = ({ reason }: CreditForm): string | undefined =>
  reason.trim() === '' ? 'Enter a reason.' : undefined;

export const worth = (credits: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(
    Math.floor(Number(credits)) / 100,
  );

/** Keeps every digit as typed: the operator confirms exactly what is booked. */
export function withSeparators(credits: string): string {
  const [whole = '0', decimals] = credits.trim().split('.');
  return `${BigInt(whole).toLocaleString('en')}${decimals === undefined ? '' : `.${decimals}`}`;
}
