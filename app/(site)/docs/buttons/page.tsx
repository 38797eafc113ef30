import type { Metadata } from 'next';
import { settings } from '@/server/base/env';
import { CodeBlock } from '../../parts/code-block';
import { AnchoredHeading, InlineCode, TextLink } from '../../parts/markdown';
import { WithHeadings } from '../on-this-page';

export const metadata: Metadata = {
  title: 'Buttons',
  description: 'Sign-in and payment buttons, and the rules for them.',
};

const SECTIONS = [
  { id: 'images', title: 'Images' },
  { id: 'rules', title: 'Rules' },
];

const BUTTONS = [
  { file: 'sign-in', label: 'Sign in', width: 116 },
  { file: 'buy-credits', label: 'Buy credits', width: 150 },
];

const RULES = [
  'Use “Sign in” for users who are not signed in, and “Buy credits” for those who are. Both open the checkout.',
  'Open the checkout with a click. Never open it when the page loads.',
  'Use the dark button on light backgrounds and the light one on dark backgrounds.',
  'Keep the proportions, at least 44 pixels of height, and 8 pixels of free space around the button.',
  'Do not change the text, its colours or the coin. To use your colours, use the components or a button of your own design.',
  'Next to a button, name what the credits pay for. Do not say that your app takes the payment.',
];

export default function ButtonsPage() {
  const { BASE_URL: base } = settings();
  return (
    <WithHeadings headings={SECTIONS}>
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">Buttons</h1>
      <p className="mt-3 text-lg leading-relaxed text-muted">
        In React, <InlineCode>{'<SignIn />'}</InlineCode> and <InlineCode>{'<BuyCredits />'}</InlineCode> of{' '}
        <TextLink href="/docs/widget#the-package">the package</TextLink> follow these rules by themselves.
      </p>
      <AnchoredHeading as="h2" id="images" className="mt-10 text-xl font-semibold">
        Images
      </AnchoredHeading>
      <div className="mt-4 grid gap-4 sm:grid-cols-2">
        {['dark', 'light'].map((look) => (
          <div
            key={look}
            className={`flex flex-wrap gap-4 rounded-lg p-6 ${look === 'dark' ? 'bg-white' : 'bg-black'}`}
          >
            {BUTTONS.map(({ file, label, width }) => (
              <img
                key={file}
                src={`/v1/buttons/${file}-${look}.svg`}
                alt={`${label}, ${look}`}
                width={width}
                height={44}
              />
            ))}
          </div>
        ))}
      </div>
      <CodeBlock
        language="html"
        code={`<button type="button" onclick="Svc.open()" style="padding: 0; border: 0; background: none">\n  <img src="${base}/v1/buttons/buy-credits-dark.svg" alt="Buy credits" width="150" height="44">\n</button>`}
      />
      <AnchoredHeading as="h2" id="rules" className="mt-10 text-xl font-semibold">
        Rules
      </AnchoredHeading>
      <ul className="mt-4 grid list-disc gap-2 pl-6 leading-relaxed">
        {RULES.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </WithHeadings>
  );
}
