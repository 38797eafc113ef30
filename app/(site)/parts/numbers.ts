/** Number formats of the public site. */

export const formatTokens = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${trim(tokens / 1_000_000)}M`
    : tokens >= 1_000
      ? `${trim(Math.round(tokens / 100) / 10)}K`
      : String(tokens);

const trim = (value: number): string => String(Math.round(value * 100) / 100);

/** US dollars with all decimals of the price, at least two. */
export const formatUsd = (value: number): string =>
  `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 8 })}`;

/** Credits for a request: four decimals, so that a column lines up, and more if a small amount needs them. */
export const formatRequestCredits = (credits: number): string =>
  credits.toLocaleString('en', {
    minimumFractionDigits: 4,
    maximumFractionDigits: 4,
    maximumSignificantDigits: 3,
    roundingPriority: 'morePrecision',
  });
