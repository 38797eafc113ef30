'use client';

import { ReasonButton } from '../reason-button';
import { decide } from './actions';

type Props = { batchId: string; credits: string; requests: string; users: string };

/** The decision about a proposed batch. */
export function DecideButtons({ batchId, credits, requests, users }: Props) {
  return (
    <>
      <ReasonButton
        label="Approve"
        look="primary"
        title={`Refund ${credits} credits?`}
        consequence={`Refunds ${users} for ${requests} and e-mails them the reason of the batch. This cannot be undone.`}
        action={(reason) => decide({ batchId, decision: 'approve', reason })}
      />
      <ReasonButton
        label="Discard"
        title="Discard these corrections?"
        consequence="No one is refunded. The same corrections can be proposed again."
        isDanger
        action={(reason) => decide({ batchId, decision: 'discard', reason })}
      />
    </>
  );
}
