'use client';

import type { Language } from '@/texts/languages';
import type { Usage } from '../../_requests/call-api';
import type { Problem } from '../../_requests/describe-problem';
import { Amount } from '../../_ui/amount';
import { Button } from '../../_ui/button';
import { Notice } from '../../_ui/notice';
import { CallbackLog } from './callback-log';
import type { DemoState, Media, ModelResponse } from './demo-state';
import { OptionsPanel } from './options-panel';
import { PromptForm } from './prompt-form';
import { useDemo } from './use-demo';
import { maskKey } from './use-widget';

type Props = {
  publishableKey: string;
  scriptUrl: string;
  checkoutUrl: string;
  apiUrl: string;
  mailUrl: string | null;
  language: Language;
};

export function Demo({ mailUrl, language, ...setup }: Props) {
  const { state, options, log, hasFailed, isReady, buy, send, stop } = useDemo(setup);
  const { response, problem } = state;
  return (
    <div className="mx-auto w-full max-w-[680px] px-5 pt-8 pb-16 sm:pt-14">
      <Header homeUrl={setup.apiUrl} />
      <main>
        <h1 className="mt-10 text-[28px] leading-tight font-semibold sm:mt-14 sm:text-[34px]">
          An AI app its users pay for
        </h1>
        <p className="mt-3 max-w-[56ch] text-[17px] leading-relaxed text-muted">
          This page acts as a partner’s app. You bring your own credits, and each response costs exactly what
          it used.
        </p>
        <Credits state={state} language={language} isReady={isReady} onBuy={buy} />
        {mailUrl !== null && <SandboxHint mailUrl={mailUrl} />}
        {hasFailed && (
          <ProblemNotice text="The checkout script couldn’t be loaded. A content blocker may be the cause." />
        )}
        <PromptForm
          isReady={isReady}
          isStreaming={response?.isStreaming ?? false}
          onSend={(model, prompt) => void send(model, prompt)}
          onStop={stop}
        />
        {problem && <ProblemNotice {...problem} />}
        {response && <ResponseCard response={response} language={language} />}
        {options && <OptionsPanel options={options} {...setup} />}
        <CallbackLog log={log} />
      </main>
    </div>
  );
}

function Header({ homeUrl }: { homeUrl: string }) {
  return (
    <header className="flex items-center justify-between gap-4">
      <p className="flex items-center gap-2.5 font-medium">
        <span
          aria-hidden="true"
          className="grid size-8 place-items-center rounded-lg bg-accent text-sm font-semibold text-on-accent"
        >
          D
        </span>
        Demo app
      </p>
      <a
        href={homeUrl}
        className="-my-3 py-3 text-sm text-muted underline-offset-4 hover:text-text hover:underline"
      >
        About the service
      </a>
    </header>
  );
}

type CreditsProps = { state: DemoState; language: Language; isReady: boolean; onBuy(): void };

function Credits({ state: { balance, userKey }, language, isReady, onBuy }: CreditsProps) {
  return (
    <section
      aria-label="Your credits"
      className="mt-8 flex flex-wrap items-center justify-between gap-4 rounded-2xl border border-line bg-surface p-5 sm:p-6"
    >
      <div className="min-w-0">
        <p className="text-sm text-muted">Balance</p>
        <p data-testid="balance" className="mt-0.5 text-[28px] leading-tight font-semibold">
          {balance === null ? '–' : <Amount credits={balance} language={language} />}
          <span className="ml-2 text-base font-normal text-muted">credits</span>
        </p>
        <p className="mt-1 min-h-5 text-[13px] text-muted" data-testid="user-key">
          {userKey === null ? 'Not signed in' : <code className="font-mono">{maskKey(userKey)}</code>}
        </p>
      </div>
      <Button size="large" disabled={!isReady} onClick={onBuy} className="w-full sm:w-auto">
        Buy credits
      </Button>
    </section>
  );
}

function SandboxHint({ mailUrl }: { mailUrl: string }) {
  return (
    <p className="mt-3 text-sm text-muted">
      No real money moves: pay with card{' '}
      <span className="font-mono whitespace-nowrap text-text">4242 4242 4242 4242</span> and find your sign-in
      code in the{' '}
      <a href={mailUrl} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
        test mailbox
      </a>
      .
    </p>
  );
}

function ProblemNotice({ text, link = null }: { text: string; link?: Problem['link'] }) {
  return (
    <div className="mt-4">
      <Notice kind="danger">
        {text}{' '}
        {link && (
          <a
            href={link.href}
            target="_blank"
            rel="noopener"
            className="font-medium underline underline-offset-2"
          >
            {link.label}
          </a>
        )}
      </Notice>
    </div>
  );
}

type ResponseProps = { response: ModelResponse; language: Language };

function ResponseCard({ response, language }: ResponseProps) {
  const { media, isStreaming, usage } = response;
  return (
    <section aria-label="Response" aria-busy={isStreaming} className="mt-6">
      {media === null ? <ResponseText {...response} /> : <ResponseMedia {...media} />}
      <p role="status" className="mt-2 min-h-5 text-sm text-muted" data-testid="cost">
        {usage && (
          <>
            This response cost{' '}
            <strong className="font-medium text-text">
              <Amount credits={Math.abs(usage.credits)} language={language} decimals={6} /> credits
            </strong>{' '}
            {describeUsage(usage)}.
          </>
        )}
      </p>
    </section>
  );
}

function ResponseText({ text, isStreaming }: ModelResponse) {
  return (
    <p
      data-testid="response"
      className="min-h-24 rounded-2xl bg-sunken p-5 leading-relaxed break-words whitespace-pre-wrap sm:p-6"
    >
      {text}
      {isStreaming && (
        <span
          aria-hidden="true"
          className="ml-0.5 inline-block h-[1.1em] w-[2px] translate-y-[0.2em] bg-accent"
        />
      )}
    </p>
  );
}

function ResponseMedia({ kind, url }: Media) {
  if (kind === 'speech')
    // biome-ignore lint/a11y/useMediaCaption: it speaks the prompt, which is above
    return <audio src={url} controls aria-label="The prompt, read aloud" className="w-full" />;
  return (
    <img
      src={url}
      alt="What the model made of the prompt"
      className="aspect-square w-full max-w-96 rounded-2xl bg-sunken object-cover"
    />
  );
}

function describeUsage({ input_tokens, output_tokens, input_units, output_units }: Usage): string {
  if (output_units !== undefined) return `for ${input_tokens} input and ${output_units} image tokens`;
  if (input_units !== undefined) return `for ${input_units} characters`;
  return `for ${input_tokens} input and ${output_tokens} output tokens`;
}
