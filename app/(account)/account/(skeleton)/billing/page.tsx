import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { readBillingDetails } from '@/server/payments/invoices/billing-details';
import { listCountries } from '@/server/payments/invoices/countries';
import { findSeller } from '@/server/payments/invoices/seller';
import { BillingForm } from './billing-form';

export const metadata: Metadata = { title: 'Invoices' };

/** What the user's invoices say about the buyer. */
export default async function BillingPage() {
  const { userId } = await requireSession();
  const details = await readBillingDetails(userId);
  return (
    <>
      <PageHead
        title="Invoices"
        description={
          findSeller() === null
            ? 'Invoices are not offered here yet. Every purchase has a receipt.'
            : 'With these details, each new purchase gets an invoice. For earlier ones, open the receipt.'
        }
      />
      <Section>
        <BillingForm
          key={details === null ? 'none' : 'saved'}
          details={
            details && {
              name: details.name,
              address: details.address.join('\n'),
              country: details.country,
              taxId: details.taxId ?? '',
              reference: details.reference ?? '',
            }
          }
          countries={listCountries().map(({ code, name }) => ({ value: code, label: name }))}
        />
      </Section>
    </>
  );
}
