import { type Microcredits, microcredits, ZERO } from '../../base/credits';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { invariant } from '../../base/errors';
import {
  ALL_APPS,
  type LimitScope,
  type LimitsInUse,
  PERIODS,
  type Period,
  readLimits,
  readPartnerLimits,
  readPockets,
  readSpendable,
  type Spendable,
} from '../../ledger';
import { findPartner } from '../../partners/partner';
import { readShownProfile, type ShownProfile } from '../../partners/profile';
import { nameOnPages } from '../../partners/rename';
import { findSeller } from '../invoices/seller';
import { PRESET_AMOUNTS } from './amounts';
import { findUsdRate } from './exchange-rates';
import { findLimitedBy, type LimitedBy } from './limited-by';
import { offersCards } from './visit-cards';
import { type Device, findDeviceEmail, findSignedIn, type SignedIn } from './visit-sign-in';
import type { Visit } from './visits';

/** The state that the checkout page shows. Private details are null when the user is known only by a key. */
export type VisitState = {
  visitId: string;
  appName: string;
  /** What an operator approved of the app's profile. */
  appProfile: ShownProfile;
  display: string;
  currency: string;
  signedIn: SignedIn['by'] | null;
  email: string | null;
  /** That the account chose. */
  language: string | null;
  /** The masked e-mail of the user who can continue with a click: the device is signed in, this window is not. */
  deviceEmail: string | null;
  balance: Microcredits | null;
  status: Spendable['status'] | null;
  /** All of the user's credits, and those not bought in this app. */
  money: Microcredits | null;
  elsewhere: Microcredits | null;
  allowanceSaved: Microcredits | null;
  allowanceLeft: Microcredits | null;
  /** What no purchase changes, also for a user known by a key, and the limits that concern this app. */
  limitedBy: LimitedBy | null;
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
  scope: LimitScope;
  period: Period;
  most: Microcredits;
  used: Microcredits;
  resetsAt: Date;
};

export async function readVisitState(visit: Visit, device: Device): Promise<VisitState> {
  const [partner, appProfile, signedIn, deviceEmail, eurRate] = await Promise.all([
    findPartner(visit.partnerId),
    readShownProfile(visit.partnerId),
    findSignedIn(visit),
    findDeviceEmail(visit, device),
    findUsdRate('eur'),
  ]);
  invariant(partner, 'partners are never deleted');
  const { MINIMUM_PURCHASE, MAXIMUM_PURCHASE, STRIPE_API_BASE, STRIPE_AUTOMATIC_TAX } = settings();
  return {
    visitId: visit.id,
    appName: nameOnPages(partner, visit.origin),
    appProfile,
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
  | 'language'
  | 'balance'
  | 'status'
  | 'money'
  | 'elsewhere'
  | 'allowanceSaved'
  | 'allowanceLeft'
  | 'limitedBy'
  | 'limits'
>;
const NO_DETAILS: UserDetails = {
  email: null,
  language: null,
  balance: null,
  status: null,
  money: null,
  elsewhere: null,
  allowanceSaved: null,
  allowanceLeft: null,
  limitedBy: null,
  limits: [],
};

async function readUserDetails(partnerId: string, signedIn: SignedIn | null): Promise<UserDetails> {
  if (signedIn === null) return NO_DETAILS;
  const { userId } = signedIn;
  const spendable = await readSpendable(userId, partnerId);
  const { balance, status, allowanceSaved, allowanceLeft } = spendable;
  const limitedBy = await findLimitedBy({ userId, partnerId }, spendable);
  // The app has the key, and reads nothing with it that it could not read otherwise.
  if (signedIn.by === 'key') return { ...NO_DETAILS, balance, status, limitedBy };
  const { email, language } = await prisma().user.findUniqueOrThrow({
    where: { id: userId },
    select: { email: true, language: true },
  });
  const { money, pockets } = await readPockets(userId);
  const own = pockets.find((pocket) => pocket.partnerId === partnerId)?.own ?? ZERO;
  const elsewhere = own < money ? microcredits(money - own) : ZERO;
  const limits = await readVisitLimits(userId, partnerId);
  return {
    email,
    language,
    balance,
    status,
    limitedBy,
    limits,
    money,
    elsewhere,
    allowanceSaved,
    allowanceLeft,
  };
}

/** Those that the user set for this app and for all apps, and those of the app. */
async function readVisitLimits(userId: string, partnerId: string): Promise<VisitLimit[]> {
  const [{ limits }, byPartner] = await Promise.all([
    readLimits(userId),
    readPartnerLimits(userId, partnerId),
  ]);
  const ofUser = limits
    .filter((limit) => limit.partnerId === ALL_APPS || limit.partnerId === partnerId)
    .flatMap((limit) => listPeriods(limit.partnerId === ALL_APPS ? 'all' : 'app', limit));
  return [...ofUser, ...(byPartner ? listPeriods('partner', byPartner) : [])];
}

type Counted = Record<Period, Microcredits | null> & { used: Partial<LimitsInUse['used']> };

function listPeriods(scope: LimitScope, limit: Counted): VisitLimit[] {
  return PERIODS.flatMap((period): VisitLimit[] => {
    const most = limit[period];
    const use = limit.used[period];
    if (most === null || use === undefined) return [];
    return [{ scope, period, most, used: microcredits(use.spent + use.held), resetsAt: use.resetsAt }];
  });
}
