/** Keeps the current user key of an app. Where storage is blocked, it lives as long as the page. */
export type KeyStore = { read(): string | null; write(key: string): void; clear(): void };

const USER_KEY = /^svc_sk_[0-9A-Za-z]{8,190}$/;

export function createKeyStore(publishableKey: string): KeyStore {
  const name = `svc:${publishableKey}`;
  /** Only what could not be stored: a log-out in another tab counts here too. */
  let memory: string | null = null;
  return {
    read() {
      const stored = attempt(() => localStorage.getItem(name)) ?? null;
      return stored !== null && USER_KEY.test(stored) ? stored : memory;
    },
    write(key) {
      memory = succeeds(() => localStorage.setItem(name, key)) ? null : key;
    },
    clear() {
      memory = null;
      attempt(() => localStorage.removeItem(name));
    },
  };
}

/** Blocked or full storage throws; undefined then. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function succeeds(work: () => void): boolean {
  const done = attempt(() => {
    work();
    return true;
  });
  return done === true;
}
