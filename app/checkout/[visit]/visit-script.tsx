import '../checkout.css';
import { Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Language } from '../../_ui/language';
import { DeadEndView } from '../gate/dead-end-view';
import type { DeadEnd } from '../gate/gate-script';
import { messagesFor } from '../messages';
import { FullMessage, Panel } from '../panel';
import { Checkout } from './checkout';
import type { SignInWindow } from './issuer-windows';

/** What the document of a visit tells its script. */
export type VisitFacts = {
  visitId: string;
  /** Null if the visit does not exist or is over. */
  origin: string | null;
  brand: string;
  accountUrl: string;
  signIn: SignInWindow;
  mailUrl: string | null;
};

type Facts = VisitFacts | { deadEnd: DeadEnd };

function show(at: HTMLElement, facts: Facts): void {
  const language = document.documentElement.lang as Language;
  createRoot(at).render(
    <Boundary instead={<DeadEndView view={{ kind: 'broken' }} language={language} />}>
      {'deadEnd' in facts ? (
        <DeadEndView view={facts.deadEnd} language={language} />
      ) : (
        <Visit {...facts} language={language} />
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

function Visit({ origin, language, ...facts }: VisitFacts & { language: Language }) {
  const say = messagesFor(language);
  if (origin !== null) return <Checkout {...facts} origin={origin} language={language} />;
  return (
    <Panel>
      <FullMessage title={say.lostTitle}>
        <p className="text-muted">{say.lostText}</p>
      </FullMessage>
    </Panel>
  );
}

const place = document.querySelector<HTMLElement>('#view');
if (place !== null) show(place, JSON.parse(place.dataset.facts ?? '{}') as Facts);
