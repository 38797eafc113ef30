import { startOnboarding } from '@/server/payments/payouts/accounts';
import { sendPayouts } from '@/server/payments/payouts/send';

/** A process that sends payouts, or that begins an onboarding, as each instance of the service does. */
const [teamId = ''] = process.argv.slice(2);
if (teamId === '') await sendPayouts();
else
  await startOnboarding({
    teamId,
    country: 'AT',
    email: 'owner@example.com',
    returnUrl: 'https://svc.example/back',
    refreshUrl: 'https://svc.example/again',
  });
process.exit(0);
