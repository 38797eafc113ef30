import type { PayoutAccount } from '../../../prisma/client/client';

/** What Stripe's names of fields mean. The first that fits applies. */
const FIELDS: readonly [name: RegExp, words: string][] = [
  [/external_account/, 'a bank account'],
  [/tos_acceptance/, 'your consent to Stripe’s terms'],
  [/verification\.(additional_)?document|proof_of_liveness/, 'an identity document'],
  [/(id_number|ssn_last_4)/, 'your identification number'],
  [/(tax_id|vat_id|registration_number)/, 'the tax or registration number of your company'],
  [/\.dob\./, 'your date of birth'],
  [/address/, 'your address'],
  [/\.(first_name|last_name)|company\.name/, 'your name'],
  [/email/, 'your e-mail address'],
  [/phone/, 'your phone number'],
  [/business_profile\.(url|product_description|mcc)/, 'what your business does'],
  [/business_type/, 'whether you are a person or a company'],
  [
    /^(owners|directors|executives|representative|relationship|person_|company\.(owners|directors))/,
    'the people behind your company',
  ],
];

/** In words, each once. A field that is unknown here is shown as its name, without the dots. */
function describeDueFields(fields: readonly string[]): string[] {
  return [...new Set(fields.map(describeField))];
}

function describeField(field: string): string {
  const known = FIELDS.find(([name]) => name.test(field));
  return known?.[1] ?? field.replaceAll(/[._]/g, ' ');
}

/** What a payout account can do now, and what to do about it. */
export function describeAccount({ state, dueFields, disabledReason }: PayoutAccount): {
  title: string;
  text: string;
} {
  const due = describeDueFields(dueFields).join(', ');
  switch (state) {
    case 'active':
      return {
        title: 'Active',
        text: due === '' ? 'You can receive payouts.' : `You can receive payouts. Stripe asks for: ${due}.`,
      };
    case 'rejected':
      return {
        title: 'Rejected',
        text: 'Stripe does not let you receive payouts. Ask Stripe why, or ask the operator for another way.',
      };
    case 'closed':
      return { title: 'Closed', text: 'Payouts can no longer be sent to it. Set up a new one to be paid.' };
    case 'restricted':
      if (due !== '') return { title: 'Restricted', text: `Until Stripe has it, you are not paid: ${due}.` };
      return {
        title: 'Restricted',
        text:
          disabledReason === 'requirements.pending_verification' || disabledReason === 'under_review'
            ? 'Stripe is checking your details.'
            : 'Stripe does not let you receive payouts now. Open your account at Stripe to see why.',
      };
    default:
      return { title: 'Not set up yet', text: 'Finish the set-up at Stripe to be paid.' };
  }
}
