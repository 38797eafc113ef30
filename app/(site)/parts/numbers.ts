/** Numbers as the site writes them. */

export const formatTokens = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${trim(tokens / 1_000_000)}M`
    : tokens >= 1_000
      ? `${trim(Math.round(tokens / 100) / 10)}K`
      : String(tokens);

const trim = (value: number): string => String(Math.round(value * 100) / 100);

/** USD with the decimals that the price has, two at least. */
export const formatUsd = (value: number): string =>
  `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 8 })}`;

/** Credits of a request: four decimals, so that a column stands in line; a smaller number stays a number. */
export const formatRequestCredits = (credits: number): string =>
  credits.toLocaleString('en', {
    minimumFractionDigits: 4,
    maximumFractionDigits: 4,
    maximumSignificantDigits: 3,
    roundingPriority: 'morePrecision',
  });
