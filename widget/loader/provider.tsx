import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useInsertionEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { InitOptions, OpenOptions } from '../api';
import { type Account, accountOf, INITIAL, type Snapshot } from './account.js';
import type { LoadOptions } from './index.js';
import { listen, type PageOptions } from './page.js';
import { addStyles } from './styles.js';

export type UseSvcOptions = InitOptions & LoadOptions;

export type UseSvc = Snapshot & {
  /** Resolves when the checkout is closed: true if the user signed in, or the app can spend more. */
  open(options?: OpenOptions): Promise<boolean>;
  close(): void;
  /** A `fetch` for the SDKs, as of `createSvcFetch`. */
  fetch: typeof fetch;
  /** Reads the figures that are shown again. */
  refresh(): void;
};

export type SvcProviderProps = PageOptions & { children?: ReactNode };

/** The account, and the options of its nearest provider. */
export const SvcContext: React.Context<Account | null> = createContext<Account | null>(null);

/** Makes the checkout available to all components within. Callbacks may change with every render. */
export function SvcProvider({ children, ...options }: SvcProviderProps): ReactElement {
  const account = useAccount(options);
  return <SvcContext.Provider value={account}>{children}</SvcContext.Provider>;
}

/** The checkout and the state of its user: of the provider, or with `options` without one. */
export function useSvc(options?: UseSvcOptions): UseSvc {
  const provided = useContext(SvcContext);
  const own = useAccount(options ?? null);
  const account = own ?? provided;
  if (account === null) throw new Error('useSvc() needs a <SvcProvider> around it, or options.');
  const snapshot = useSnapshot(account);
  const { open, close, fetch, refreshAll: refresh } = account;
  return { ...snapshot, open, close, fetch, refresh };
}

/** On a server, and until a page has loaded, everything is unknown. */
export function useSnapshot(account: Account): Snapshot {
  return useSyncExternalStore(account.subscribe, account.read, () => INITIAL);
}

function useAccount(options: PageOptions): Account;
function useAccount(options: PageOptions | null): Account | null;
function useAccount(options: PageOptions | null): Account | null {
  const [account] = useState(() => options && accountOf(options));
  const latest = useRef(options);
  latest.current = options;
  useInsertionEffect(() => addStyles(), []);
  useEffect(() => {
    if (account === null) return;
    return listen((name, event) => {
      (latest.current?.[name] as ((event: unknown) => void) | undefined)?.(event);
    });
  }, [account]);
  return account;
}
