import { creditsToJson } from '@/server/base/credits';
import type { AppSums, ProposedCorrection } from '@/server/operator/corrections';

/** Amounts are in credits. */
export type AppRow = { partnerId: string; name: string; requests: number; users: number; credits: number };

export const toAppRow = ({ partnerId, appName, requests, users, credits }: AppSums): AppRow => ({
  partnerId,
  name: appName,
  requests,
  users,
  credits: creditsToJson(credits),
});

export type CorrectionRow = {
  requestId: string;
  href: string;
  at: string;
  model: string;
  appName: string;
  charged: number;
  due: number;
  credits: number;
};

export const toCorrectionRow = ({
  requestId,
  userRef,
  at,
  model,
  appName,
  ...amounts
}: ProposedCorrection): CorrectionRow => ({
  requestId,
  href: `/operator/users/${userRef}/requests/${requestId}`,
  at: at.toISOString(),
  model,
  appName,
  charged: creditsToJson(amounts.charged),
  due: creditsToJson(amounts.due),
  credits: creditsToJson(amounts.credits),
});
