import { settings } from '../../base/env';
import type { Candidate } from './candidates';

/** How many requests of this process each provider is working on, so that one that hangs does not take every place. */
const running = new Map<string, number>();

export const isFull = ({ model }: Candidate): boolean =>
  (running.get(model.provider) ?? 0) >= settings().LIMIT_RUNNING_PER_PROVIDER;

/** A request has a place at one provider: the one called last. Null gives it up. */
export function createPlace(): (provider: string | null) => void {
  let current: string | null = null;
  return (provider) => {
    if (current !== null) add(current, -1);
    if (provider !== null) add(provider, 1);
    current = provider;
  };
}

function add(provider: string, change: number): void {
  const rest = (running.get(provider) ?? 0) + change;
  if (rest === 0) running.delete(provider);
  else running.set(provider, rest);
}
