import '../checkout.css';
import { Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { chooseLanguage } from '@/texts/languages';
import { DeadEndView } from '../gate/dead-end-view';
import type { DeadEnd } from '../gate/gate-script';
import { loadWords } from '../load-words';
import type { Words } from '../messages';
import { FullMessage, Panel } from '../panel';
import { Checkout } from './checkout';
import type { SignInWindow } from './issuer-windows';

/** What the document of a visit tells its script. */
export type VisitFacts = {
  visitId: string;
  /** Null if the visit does not exist or is over. */
  origin: string | null;
  brand: string;
  /** Whether the language that the account chose applies: the app chose none. */
  followsAccount: boolean;
  accountUrl: string;
  signIn: SignInWindow;
  mailUrl: string | null;
};

type Facts = VisitFacts | { deadEnd: DeadEnd };

async function show(at: HTMLElement, facts: Facts): Promise<void> {
  const words = await loadWords(chooseLanguage(document.documentElement.lang));
  createRoot(at).render(
    <Boundary instead={<DeadEndView view={{ kind: 'broken' }} say={words.say} />}>
      {'deadEnd' in facts ? (
        <DeadEndView view={facts.deadEnd} say={words.say} />
      ) : (
        <Visit {...facts} words={words} />
      )}
    </Boundary>,
  );
}

/** A view that fails is replaced by one that offers to load it again. */
class Boundary extends Component<{ instead: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError = () => ({ hasFailed: true });

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}

function Visit({ origin, words, ...facts }: VisitFacts & { words: Words }) {
  const { say } = words;
  if (origin !== null) return <Checkout {...facts} origin={origin} words={words} />;
  return (
    <Panel>
      <FullMessage title={say.lostTitle}>
        <p className="text-muted">{say.lostText}</p>
      </FullMessage>
    </Panel>
  );
}

const place = document.querySelector<HTMLElement>('#view');
if (place !== null) void show(place, JSON.parse(place.dataset.facts ?? '{}') as Facts);
