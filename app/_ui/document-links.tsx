import { ROW_LINK } from './row-link';

export type ShownDocument = { number: string; kind: 'invoice' | 'credit_note' | 'cancellation' };

const NAMES = { invoice: 'Invoice', credit_note: 'Credit note', cancellation: 'Cancellation' };

/** The PDFs of a purchase, one below the other: its invoice, and what corrects it. */
export function DocumentLinks({ documents, folder }: { documents: ShownDocument[]; folder: string }) {
  return documents.map(({ number, kind }) => (
    <a
      key={number}
      href={`${folder}/${number}.pdf`}
      aria-label={`${NAMES[kind]} ${number} (PDF)`}
      className={`-my-1 block w-fit py-1 whitespace-nowrap tabular-nums ${ROW_LINK}`}
    >
      {number}
    </a>
  ));
}
