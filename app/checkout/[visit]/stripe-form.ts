/** Stripe's own form. Stripe requires its script to come from its server; we load it only when needed. */

const STRIPE_JS = 'https://js.stripe.com/endive/stripe.js';

type EmbeddedPage = { mount(place: HTMLElement): void; destroy(): void };
type Stripe = {
  createEmbeddedCheckoutPage(options: {
    fetchClientSecret: () => Promise<string>;
    onComplete: () => void;
  }): Promise<EmbeddedPage>;
};
type StripePage = { Stripe?: (publishableKey: string) => Stripe };

let loading: Promise<void> | undefined;

function loadStripe(): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = STRIPE_JS;
    script.onload = () => resolve();
    script.onerror = () => {
      loading = undefined;
      script.remove();
      reject(new Error('Stripe.js did not load'));
    };
    document.head.append(script);
  });
  return loading;
}

type FormOptions = {
  clientSecret: string;
  publishableKey: string;
  onReady(): void;
  onComplete(): void;
  onBroken(): void;
};

/** Stripe.js allows one form at a time, so each waits until the previous one is mounted or removed. */
let previous: Promise<void> = Promise.resolve();

/** Mounts the form and returns a function that removes it, whether or not it has loaded yet. */
export function mountStripe(place: HTMLElement, options: FormOptions): () => void {
  let isRemoved = false;
  let page: EmbeddedPage | undefined;
  async function mount(): Promise<void> {
    await Promise.all([loadStripe(), previous]);
    if (isRemoved) return;
    page = await createPage(options);
    if (isRemoved) return page.destroy();
    page.mount(place);
    options.onReady();
  }
  previous = mount().catch(() => {
    if (!isRemoved) options.onBroken();
  });
  return () => {
    isRemoved = true;
    page?.destroy();
  };
}

function createPage({ clientSecret, publishableKey, onComplete }: FormOptions): Promise<EmbeddedPage> {
  const stripe = (window as StripePage).Stripe?.(publishableKey);
  if (!stripe) throw new Error('Stripe.js did not define Stripe');
  return stripe.createEmbeddedCheckoutPage({ fetchClientSecret: async () => clientSecret, onComplete });
}
