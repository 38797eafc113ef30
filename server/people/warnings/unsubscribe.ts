import { prisma } from '../../base/db';
import { readUnsubscribeToken, type Subscription } from '../../base/unsubscribe-link';
import { readAlertChoice, saveAlertChoice } from './alert-choice';
import { endWarnings, readWarningChoices } from './choice';

/** What a link in a mail ends, and whether it is on. Null when the link is not ours or the account was deleted. */
export async function findSubscriptionOfLink(
  token: string,
): Promise<{ kind: Subscription['kind']; isOn: boolean } | null> {
  const found = await findSubscription(token);
  if (found === null) return null;
  const { subscription, email } = found;
  if (subscription.kind !== 'alerts') {
    const choices = await readWarningChoices(subscription.userId);
    return { kind: subscription.kind, isOn: choices[subscription.kind] };
  }
  return { kind: 'alerts', isOn: await readAlertChoice({ teamId: subscription.teamId, email }) };
}

/** False when the link is not ours or the account was deleted. */
export async function unsubscribeByLink(token: string): Promise<boolean> {
  const found = await findSubscription(token);
  if (found === null) return false;
  const { subscription, email } = found;
  if (subscription.kind === 'alerts') await saveAlertChoice({ teamId: subscription.teamId, email }, false);
  else await endWarnings(subscription.userId, subscription.kind);
  return true;
}

async function findSubscription(
  token: string,
): Promise<{ subscription: Subscription; email: string } | null> {
  const subscription = readUnsubscribeToken(token);
  if (subscription === null) return null;
  const user = await prisma().user.findUnique({ where: { id: subscription.userId, deletedAt: null } });
  return user && { subscription, email: user.email };
}
