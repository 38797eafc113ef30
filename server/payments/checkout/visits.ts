import type { CheckoutVisit } from '../../../prisma/client/client';
import { networkOf } from '../../base/client-network';
import { DAY_MS, HOUR_MS, now, nowDate, SECOND_MS } from '../../base/clock';
import { deleteInSteps, prisma } from '../../base/db';
import { ApiError } from '../../base/errors';
import { newId, randomBase62, sameBytes, sha256 } from '../../base/ids';
import { countAttempt } from '../../base/rate-limit/attempts';
import { noteOpened, requireAllowedOrigin } from '../../partners/origins';
import { requirePartner } from '../../partners/partner';
import type { Metadata } from '../../people/metadata';
import type { Currency } from './amounts';

/** One opening of the checkout window, for one partner and one verified origin. */
export type Visit = CheckoutVisit;

export const DISPLAYS = ['embedded', 'popup', 'new_tab'] as const;
export type Display = (typeof DISPLAYS)[number];

/** Otherwise it is a native app with its own scheme. */
export const isWebsite = (address: string): boolean => /^https?:/.test(address);

export const VISIT_LIFETIME_MS = HOUR_MS;
/** 256 random bits in base62. */
const TOKEN_CHARACTERS = 43;

type VisitRequest = {
  publishableKey: string;
  /** The opening page's origin, as the browser reported it to our gate page. */
  origin: string;
  display: Display;
  currency: Currency;
  /** The S256 challenge for the verifier that the widget keeps. */
  challenge: string;
  metadata?: Metadata | undefined;
  clientIp: string;
};

/** Anyone can open a window, and each is a row for a day. */
const VISITS_PER_NETWORK_PER_MINUTE = 300;

export async function openVisit(request: VisitRequest): Promise<{ visit: Visit; token: string }> {
  await requireRoomForVisit(request.clientIp);
  const partner = await requirePartner(request.publishableKey);
  await requireAllowedOrigin(partner.id, request.origin);
  await noteOpened(partner.id, request.origin);
  const token = randomBase62(TOKEN_CHARACTERS);
  const visit = await prisma().checkoutVisit.create({
    data: {
      id: newId('ckv'),
      partnerId: partner.id,
      origin: request.origin,
      display: request.display,
      currency: request.currency,
      challenge: request.challenge,
      tokenHash: new Uint8Array(sha256(token)),
      ...(request.metadata && { metadata: request.metadata }),
      createdAt: nowDate(),
      expiresAt: new Date(now() + VISIT_LIFETIME_MS),
    },
  });
  return { visit, token };
}

async function requireRoomForVisit(clientIp: string): Promise<void> {
  const waitMs = await countAttempt('visit', networkOf(clientIp).network, VISITS_PER_NETWORK_PER_MINUTE);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many checkout windows were opened. Try again in a minute.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
}

/** The open visit that the token belongs to. Unknown, expired and other users' visits are indistinguishable. */
export async function requireVisit(visitId: string, token: string | null): Promise<Visit> {
  const visit = await prisma().checkoutVisit.findUnique({ where: { id: visitId } });
  if (
    visit === null ||
    token === null ||
    visit.expiresAt.getTime() <= now() ||
    !sameBytes(visit.tokenHash, sha256(token))
  ) {
    throw new ApiError(
      'not_found',
      'This checkout window is no longer open. Please close it and open it again.',
    );
  }
  return visit;
}

/** The only origin that may frame this visit's pages. */
export async function findVisitOrigin(visitId: string): Promise<{ origin: string; display: Display } | null> {
  const visit = await prisma().checkoutVisit.findUnique({
    where: { id: visitId },
    select: { origin: true, display: true, expiresAt: true },
  });
  if (visit === null || visit.expiresAt.getTime() <= now()) return null;
  return { origin: visit.origin, display: visit.display as Display };
}

/** Deletes expired visits but keeps each app's latest one, which shows that its checkout was opened. */
export async function forgetOldVisits(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM checkout_visit WHERE id IN (
       SELECT v.id FROM checkout_visit v WHERE v.expires_at < $1 AND EXISTS (
         SELECT 1 FROM checkout_visit n WHERE n.partner_id = v.partner_id AND n.created_at > v.created_at
       ) LIMIT $2)`,
    new Date(now() - DAY_MS),
  );
}
