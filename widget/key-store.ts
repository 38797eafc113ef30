/** Stores an app's current user key. Where storage is blocked, the key lasts as long as the page. */
export type KeyStore = { read(): string | null; write(key: string): void; clear(): void };

const USER_KEY = /^svc_sk_[0-9A-Za-z]{8,190}$/;

export function createKeyStore(publishableKey: string): KeyStore {
  const name = `svc:${publishableKey}`;
  /** Only holds a key that could not be stored, so that a sign-out in another tab applies here too. */
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

/** Undefined if the work throws, as blocked or full storage does. */
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
