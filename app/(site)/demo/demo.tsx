'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Amount } from '../../_ui/amount';
import { Button } from '../../_ui/button';
import type { Language } from '../../_ui/language';
import { Notice } from '../../_ui/notice';
import { ApiRefusal, findUsage, readBalance, streamAnswer, type Usage } from './api';
import { CallbackLog } from './callback-log';
import { OptionsPanel } from './options-panel';
import { PromptForm } from './prompt-form';
import { maskKey, useWidget } from './use-widget';
import { type DemoOptions, initOptions, openOptions, readDemoOptions } from './widget-options';

type Props = {
  publishableKey: string;
  scriptUrl: string;
  checkoutUrl: string;
  apiUrl: string;
  mailUrl: string | null;
  language: Language;
};

type Answer = { text: string; isStreaming: boolean; usage: Usage | null };

/** Refusals that the checkout can mend. */
const NEEDS_CHECKOUT: Record<string, string> = {
  insufficient_credits: 'Your credits are used up. Buy some to go on.',
  partner_not_permitted:
    'You have credits, but this app may not use them yet. Allow it, or buy credits here.',
  partner_limit_reached: 'The limit you set for this app is used up. Raise it, or buy credits here.',
};

export function Demo({ publishableKey, scriptUrl, checkoutUrl, apiUrl, mailUrl, language }: Props) {
  const [userKey, setUserKey] = useState<string | null>(null);
  const [balance, setBalance] = useState<number | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);

  const options = useAddressOptions();
  const initial = useMemo(() => options && initOptions(options), [options]);
  const { widget, failed, log } = useWidget({ publishableKey, scriptUrl, checkoutUrl }, initial, {
    credits(key, known) {
      if (key !== null) setUserKey(key);
      setBalance(known);
      setProblem(null);
    },
    loggedOut() {
      setUserKey(null);
      setBalance(null);
    },
  });

  const refreshBalance = useCallback(
    async (key: string) => {
      try {
        setBalance((await readBalance(apiUrl, key)).balance);
      } catch (error) {
        // A key that was revoked elsewhere: the user signs in again with the next opening.
        if (error instanceof ApiRefusal && error.type === 'invalid_user_key') setUserKey(null);
      }
    },
    [apiUrl],
  );

  useEffect(() => {
    const key = widget?.getUserKey() ?? null;
    setUserKey(key);
    if (key !== null) void refreshBalance(key);
  }, [widget, refreshBalance]);

  async function ask(model: string, prompt: string): Promise<void> {
    const key = widget?.getUserKey() ?? null;
    if (key === null) return widget?.open();
    running.current = new AbortController();
    setProblem(null);
    setAnswer({ text: '', isStreaming: true, usage: null });
    const update = (change: (before: Answer) => Answer) => setAnswer((before) => before && change(before));
    try {
      const requestId = await streamAnswer(
        apiUrl,
        key,
        { model, prompt, signal: running.current.signal },
        (text) => update((before) => ({ ...before, text: before.text + text })),
      );
      const usage = await findUsage(apiUrl, key, requestId);
      update((before) => ({ ...before, usage }));
    } catch (error) {
      if (!running.current.signal.aborted) explain(error);
    }
    // What was said before it broke off stays; an empty answer goes.
    setAnswer((before) => (before && before.text !== '' ? { ...before, isStreaming: false } : null));
    await refreshBalance(key);
  }

  function explain(error: unknown): void {
    const text = error instanceof ApiRefusal ? NEEDS_CHECKOUT[error.type] : undefined;
    setProblem(text ?? (error instanceof Error ? error.message : 'The request failed'));
    if (text === undefined) return;
    setAnswer(null);
    widget?.open();
  }

  return (
    <div className="mx-auto w-full max-w-[680px] px-5 pt-8 pb-16 sm:pt-14">
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
          href={apiUrl}
          className="-my-3 py-3 text-sm text-muted underline-offset-4 hover:text-text hover:underline"
        >
          About the service
        </a>
      </header>

      <main>
        <h1 className="mt-10 text-[28px] leading-tight font-semibold sm:mt-14 sm:text-[34px]">
          An AI app that its users pay for
        </h1>
        <p className="mt-3 max-w-[56ch] text-[17px] leading-relaxed text-muted">
          This small page plays the part of a partner’s app. You bring your own credits; each answer costs
          exactly what it used.
        </p>

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
          <Button
            size="large"
            disabled={!widget}
            onClick={() => widget?.open(options ? openOptions(options) : undefined)}
            className="w-full sm:w-auto"
          >
            Buy credits
          </Button>
        </section>
        {mailUrl !== null && (
          <p className="mt-3 text-sm text-muted">
            Nothing here is real money: pay with card{' '}
            <span className="font-mono whitespace-nowrap text-text">4242 4242 4242 4242</span> and read your
            sign-in code in the{' '}
            <a
              href={mailUrl}
              target="_blank"
              rel="noreferrer"
              className="text-accent underline underline-offset-2"
            >
              test mailbox
            </a>
            .
          </p>
        )}
        {failed && (
          <div className="mt-4">
            <Notice kind="danger">
              The checkout script could not be loaded. A blocker may be in the way.
            </Notice>
          </div>
        )}

        <PromptForm
          isReady={widget !== null}
          isStreaming={answer?.isStreaming ?? false}
          onAsk={(model, prompt) => void ask(model, prompt)}
          onStop={() => running.current?.abort()}
        />
        {problem && (
          <div className="mt-4">
            <Notice kind="danger">{problem}</Notice>
          </div>
        )}
        {answer && <AnswerCard answer={answer} language={language} />}
        {options && <OptionsPanel options={options} publishableKey={publishableKey} scriptUrl={scriptUrl} />}
        <CallbackLog log={log} />
      </main>
    </div>
  );
}

/** Null until the address can be read. */
function useAddressOptions(): DemoOptions | null {
  const [options, setOptions] = useState<DemoOptions | null>(null);
  useEffect(() => setOptions(readDemoOptions(window.location.search)), []);
  return options;
}

function AnswerCard({
  answer: { text, isStreaming, usage },
  language,
}: {
  answer: Answer;
  language: Language;
}) {
  return (
    <section aria-label="Answer" aria-busy={isStreaming} className="mt-6">
      <p
        data-testid="answer"
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
      <p role="status" className="mt-2 min-h-5 text-sm text-muted" data-testid="cost">
        {usage && (
          <>
            This answer cost{' '}
            <strong className="font-medium text-text">
              <Amount credits={Math.abs(usage.credits)} language={language} decimals={6} /> credits
            </strong>{' '}
            for {usage.input_tokens} tokens in and {usage.output_tokens} out.
          </>
        )}
      </p>
    </section>
  );
}
