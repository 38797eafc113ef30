/** Keeps the current user key of an app. Where storage is blocked, it lives as long as the page. */
export type KeyStore = { read(): string | null; write(key: string): void; clear(): void };

const USER_KEY = /^svc_sk_[0-9A-Za-z]{8,190}$/;

export function createKeyStore(publishableKey: string): KeyStore {
  const name = `svc:${publishableKey}`;
  let memory: string | null = null;
  return {
    read() {
      try {
        const stored = localStorage.getItem(name);
        return stored !== null && USER_KEY.test(stored) ? stored : memory;
      } catch {
        return memory;
      }
    },
    write(key) {
      memory = key;
      attempt(() => localStorage.setItem(name, key));
    },
    clear() {
      memory = null;
      attempt(() => localStorage.removeItem(name));
    },
  };
}

export function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Blocked or full storage: memory serves.
  }
}
