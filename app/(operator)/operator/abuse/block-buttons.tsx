'use client';

import type { ButtonLook } from '@/app/_ui/button';
import { ReasonButton } from '../reason-button';
import { allowPurchases, blockPurchases } from './actions';

type BlockProps = {
  /** Names the accounts to the action. */
  accounts: string;
  count: number;
  describe: string;
};

export function BlockButton({ accounts, count, describe, size = 'small' }: BlockProps & ButtonLook) {
  const isOne = count === 1;
  return (
    <ReasonButton
      label="Block purchases"
      title={isOne ? 'Block the purchases of this account?' : `Block the purchases of ${count} accounts?`}
      consequence={`${isOne ? 'It' : 'They'} can no longer buy credits, in any app and with any card, and open payments end. Credits already bought keep working. ${isOne ? '' : 'People who share a card, a browser or a network may have nothing else in common: look at the accounts first. '}You can allow purchases again.`}
      isDanger
      describe={describe}
      size={size}
      action={(reason) => blockPurchases({ accounts, reason })}
    />
  );
}

export function AllowButton({
  userRef,
  name,
  size = 'small',
}: { userRef: string; name: string } & ButtonLook) {
  return (
    <ReasonButton
      label="Allow purchases"
      title={`Allow the purchases of ${name}?`}
      consequence="All accounts of this mailbox can buy credits again."
      describe={name}
      size={size}
      action={(reason) => allowPurchases({ userRef, reason })}
    />
  );
}
