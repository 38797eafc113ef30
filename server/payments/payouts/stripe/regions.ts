/** The European Economic Area, within which Stripe's payouts do not cross a border. */
const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
  ' ',
);

/** The countries that Stripe pays to without an agreement of its own, from any of them. */
export const PAYOUT_COUNTRIES: readonly string[] = [...EEA, 'CA', 'CH', 'GB', 'US'].sort();

export const regionOf = (country: string): string => (EEA.includes(country) ? 'EEA' : country);
