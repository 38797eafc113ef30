import { type Microcredits, microcredits, ZERO } from '../credits';
import { prisma } from '../db';
import { settings } from '../env';
import { invariant } from '../errors';
import { findSeller } from '../invoices/seller';
import {
  ALL_APPS,
  PERIODS,
  type Period,
  readLimits,
  readPockets,
  readSpendable,
  type Spendable,
} from '../ledger';
import { findPartner } from '../partners/partner';
import { nameOnPages } from '../partners/rename';
import { PRESET_AMOUNTS } from './amounts';
import { findUsdRate } from './exchange-rates';
import { offersCards } from './visit-cards';
import { type Device, findDeviceEmail, findSignedIn, type SignedIn } from './visit-sign-in';
import type { Visit } from './visits';

/** The state that the checkout page shows. Private details are null when the user is known only by a key. */
export type VisitState = {
  visitId: string;
  appName: string;
  display: string;
  currency: string;
  signedIn: SignedIn['by'] | null;
  email: string | null;
  /** The masked e-mail of the user who can continue with a click: the device is signed in, this window is not. */
  deviceEmail: string | null;
  balance: Microcredits | null;
  status: Spendable['status'] | null;
  /** All of the user's credits, and those not bought in this app. */
  money: Microcredits | null;
  elsewhere: Microcredits | null;
  allowanceSaved: Microcredits | null;
  allowanceLeft: Microcredits | null;
  /** Whether a limit of the user, or a stop, refuses requests, and the limits that concern this app. */
  isLimited: boolean;
  limits: VisitLimit[];
  amounts: number[];
  minimum: number;
  maximum: number;
  /** USD per unit; null while the currency is not accepted. */
  rates: { usd: number; eur: number | null };
  /** Whether prices include the tax of the buyer's country. */
  includesTax: boolean;
  /** Whether the user may have saved cards and can use them in this window. */
  hasCards: boolean;
  /** Whether the user can get an invoice of a purchase. */
  offersInvoices: boolean;
  sandbox: boolean;
};

export type VisitLimit = {
  apps: 'app' | 'all';
  period: Period;
  most: Microcredits;
  used: Microcredits;
  resetsAt: Date;
};

export async function readVisitState(visit: Visit, device: Device): Promise<VisitState> {
  const [partner, signedIn, deviceEmail, eurRate] = await Promise.all([
    findPartner(visit.partnerId),
    findSignedIn(visit),
    findDeviceEmail(visit, device),
    findUsdRate('eur'),
  ]);
  invariant(partner, 'partners are never deleted');
  const { MINIMUM_PURCHASE, MAXIMUM_PURCHASE, STRIPE_API_BASE, STRIPE_AUTOMATIC_TAX } = settings();
  return {
    visitId: visit.id,
    appName: nameOnPages(partner, visit.origin),
    display: visit.display,
    currency: visit.currency,
    signedIn: signedIn?.by ?? null,
    deviceEmail,
    ...(await readUserDetails(visit.partnerId, signedIn)),
    amounts: PRESET_AMOUNTS,
    minimum: MINIMUM_PURCHASE,
    maximum: MAXIMUM_PURCHASE,
    rates: { usd: 1, eur: eurRate === null ? null : Number(eurRate) },
    includesTax: STRIPE_AUTOMATIC_TAX,
    hasCards: await offersCards(visit, signedIn),
    offersInvoices: findSeller() !== null,
    sandbox: STRIPE_API_BASE !== undefined,
  };
}

type UserDetails = Pick<
  VisitState,
  | 'email'
  | 'balance'
  | 'status'
  | 'money'
  | 'elsewhere'
  | 'allowanceSaved'
  | 'allowanceLeft'
  | 'isLimited'
  | 'limits'
>;
const NO_DETAILS: UserDetails = {
  email: null,
  balance: null,
  status: null,
  money: null,
  elsewhere: null,
  allowanceSaved: null,
  allowanceLeft: null,
  isLimited: false,
  limits: [],
};

async function readUserDetails(partnerId: string, signedIn: SignedIn | null): Promise<UserDetails> {
  if (signedIn === null) return NO_DETAILS;
  const { userId } = signedIn;
  const { balance, status, isLimited, allowanceSaved, allowanceLeft } = await readSpendable(
    userId,
    partnerId,
  );
  if (signedIn.by === 'key') return { ...NO_DETAILS, balance, status };
  const { money, pockets } = await readPockets(userId);
  const own = pockets.find((pocket) => pocket.partnerId === partnerId)?.own ?? ZERO;
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } });
  const elsewhere = own < money ? microcredits(money - own) : ZERO;
  const limits = await readVisitLimits(userId, partnerId);
  return { email, balance, status, isLimited, limits, money, elsewhere, allowanceSaved, allowanceLeft };
}

/** Those of this app and of all apps. */
async function readVisitLimits(userId: string, partnerId: string): Promise<VisitLimit[]> {
  const { limits } = await readLimits(userId);
  return limits
    .filter((limit) => limit.partnerId === ALL_APPS || limit.partnerId === partnerId)
    .flatMap((limit) =>
      PERIODS.flatMap((period): VisitLimit[] => {
        const most = limit[period];
        if (most === null) return [];
        const { spent, held, resetsAt } = limit.used[period];
        const apps = limit.partnerId === ALL_APPS ? 'all' : 'app';
        return [{ apps, period, most, used: microcredits(spent + held), resetsAt }];
      }),
    );
}
