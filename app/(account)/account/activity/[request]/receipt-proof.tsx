import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import type { ReceiptProof as Proof } from '@/server/reports/statements/read-statements';
import { VerifyButton } from './verify-button';
import type { ShownReceipt } from './verify-receipt';

type Props = { proof: Proof; day: string; shown: ShownReceipt };

/** The signature of a receipt, and whether the statement of its day contains it. */
export function ReceiptProof({ proof, day, shown }: Props) {
  return (
    <Section title="Proof">
      <div className="flex flex-col gap-4 text-sm">
        <Inclusion proof={proof} day={day} />
        <div>
          <p className="mb-1.5 text-muted">Signed receipt</p>
          <CopyField label="signed receipt" value={proof.receipt} />
        </div>
        <VerifyButton signed={proof.receipt} shown={shown} />
      </div>
    </Section>
  );
}

function Inclusion({ proof: { statement, inclusion }, day }: Omit<Props, 'shown'>) {
  const date = <Time at={day} withClock={false} isDay />;
  if (statement === null)
    return (
      <p className="text-muted">
        The statement of {date} is signed shortly after that day ends (UTC). It will contain this receipt.
      </p>
    );
  if (inclusion === null)
    return (
      <Notice kind="danger">
        The signed statement of {date} does not contain this receipt as it is now. Download{' '}
        <StatementsLink>the statement</StatementsLink> and contact the service.
      </Notice>
    );
  return (
    <p>
      The signed <StatementsLink>statement</StatementsLink> of {date} contains this receipt, unchanged.
    </p>
  );
}

function StatementsLink({ children }: { children: string }) {
  return (
    <PageLink href="/account/statements" className="underline">
      {children}
    </PageLink>
  );
}
