'use client';

import { type FormEvent, useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { Time } from '@/app/_ui/time';
import { type Failure, useAction } from '@/app/_ui/use-action';
import { allowDevice, findDevice, refuseDevice } from './actions';

type Waiting = { userCode: string; appName: string; startedAt: string; isElsewhere: boolean };
type Decision = 'allowed' | 'refused';
type Words = ReturnType<typeof speakPage<'device'>>;
type Props = { texts: PageTexts<'device'>; email: string; givenCode: string };

/** Enter the code, then decide. A code in the address is filled in but not sent. */
export function ConnectDevice({ texts, email, givenCode }: Props) {
  const words = speakPage(texts);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [decision, setDecision] = useState<Decision | null>(null);
  if (waiting === null) return <CodeStep words={words} givenCode={givenCode} onFound={setWaiting} />;
  if (decision === null)
    return <DecisionStep words={words} waiting={waiting} email={email} onDecision={setDecision} />;
  return <Outcome words={words} decision={decision} appName={waiting.appName} />;
}

type CodeProps = { words: Words; givenCode: string; onFound(waiting: Waiting): void };

function CodeStep({ words, givenCode, onFound }: CodeProps) {
  const { say, shared } = words;
  const [code, setCode] = useState(givenCode);
  const { run, isRunning, failure, clearFailure } = useAction(findDevice);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning || code.trim() === '') return;
    const found = await run({ code });
    if (found.ok && found.value) onFound(found.value);
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear">
      <h1 className="text-2xl font-semibold">{say.title}</h1>
      <p className="mt-1.5 mb-6 text-muted">{givenCode === '' ? say.enter : say.check}</p>
      <TextField
        label={shared.say.code}
        name="user-code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        placeholder="BCDF-GHJK"
        className="font-mono text-xl tracking-[0.15em] uppercase"
        value={code}
        error={failure ? describe(failure, words) : undefined}
        onChange={(event) => {
          setCode(event.target.value);
          clearFailure();
        }}
      />
      <div className="mt-3">
        <Notice kind="warning">{say.warning}</Notice>
      </div>
      <Button type="submit" size="large" busy={isRunning} className="mt-5 w-full">
        {shared.say.goOn}
      </Button>
    </form>
  );
}

type DecisionProps = { words: Words; waiting: Waiting; email: string; onDecision(decision: Decision): void };

function DecisionStep({ words, waiting, email, onDecision }: DecisionProps) {
  const { say, language } = words;
  const { userCode, appName, startedAt, isElsewhere } = waiting;
  const allow = useAction(allowDevice);
  const refuse = useAction(refuseDevice);
  const failure = allow.failure ?? refuse.failure;
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{say.ask({ app: appName })}</h1>
      <p className="mt-1.5 mb-6 text-muted">{say.askText({ app: appName })}</p>
      <dl className="mb-4 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">{say.code}</dt>
          <dd className="font-mono text-base font-medium tracking-[0.1em]">{userCode}</dd>
        </div>
        <div>
          <dt className="text-muted">{say.started}</dt>
          <dd className="font-medium">
            <Time at={startedAt} language={language} />
          </dd>
        </div>
        <div>
          <dt className="text-muted">{say.signedInAs}</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
      </dl>
      <Notice kind="warning">
        {isElsewhere && <strong className="mb-1 block font-semibold">{say.elsewhere}</strong>}
        {say.ownDevice}
      </Notice>
      {failure && (
        <div className="mt-4">
          <Notice kind="danger">{describe(failure, words)}</Notice>
        </div>
      )}
      <ArmedButton
        size="large"
        className="mt-6 w-full"
        busy={allow.isRunning}
        onClick={async () => {
          if ((await allow.run({ code: userCode })).ok) onDecision('allowed');
        }}
      >
        {say.connect}
      </ArmedButton>
      <Button
        look="quiet"
        className="mt-2 w-full"
        busy={refuse.isRunning}
        onClick={async () => {
          if ((await refuse.run({ code: userCode })).ok) onDecision('refused');
        }}
      >
        {say.refuse}
      </Button>
    </div>
  );
}

function Outcome({ words, decision, appName }: { words: Words; decision: Decision; appName: string }) {
  const { say } = words;
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{decision === 'allowed' ? say.connected : say.refused}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {decision === 'allowed' ? say.connectedText({ app: appName }) : say.refusedText}
      </p>
      <a
        href={decision === 'allowed' ? '/account/devices' : '/account'}
        className={`${buttonClass({ look: 'secondary' })} w-full`}
      >
        {decision === 'allowed' ? say.devices : say.account}
      </a>
    </div>
  );
}

const describe = (failure: Failure, { say, shared }: Words): string =>
  failure.code === 'not_waiting' ? say.notWaiting : describeRefusal(failure, shared);
