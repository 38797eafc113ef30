/** Stripe's own form. Its script must come from Stripe and is loaded only when it is needed. */

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

export function mountStripe(
  place: HTMLElement,
  options: { clientSecret: string; publishableKey: string; onComplete(): void },
): { ready: Promise<void>; remove(): void } {
  let isRemoved = false;
  let page: EmbeddedPage | undefined;
  async function mount(): Promise<void> {
    await loadStripe();
    const stripe = (window as StripePage).Stripe?.(options.publishableKey);
    if (!stripe) throw new Error('Stripe.js is not there');
    page = await stripe.createEmbeddedCheckoutPage({
      fetchClientSecret: async () => options.clientSecret,
      onComplete: options.onComplete,
    });
    if (isRemoved) page.destroy();
    else page.mount(place);
  }
  return {
    ready: mount(),
    remove() {
      isRemoved = true;
      page?.destroy();
    },
  };
}
