'use client';

import { type FormEvent, useState } from 'react';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { Time } from '@/app/_ui/time';
import { useAction } from '@/app/_ui/use-action';
import { allowDevice, findDevice, refuseDevice } from './actions';

type Waiting = { userCode: string; appName: string; startedAt: string; isElsewhere: boolean };
type Decision = 'allowed' | 'refused';

/** Enter the code, then decide. A code in the address is filled in but not sent. */
export function ConnectDevice({ email, givenCode }: { email: string; givenCode: string }) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [decision, setDecision] = useState<Decision | null>(null);
  if (waiting === null) return <CodeStep givenCode={givenCode} onFound={setWaiting} />;
  if (decision === null) return <DecisionStep waiting={waiting} email={email} onDecision={setDecision} />;
  return <Outcome decision={decision} appName={waiting.appName} />;
}

function CodeStep({ givenCode, onFound }: { givenCode: string; onFound(waiting: Waiting): void }) {
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
      <h1 className="text-2xl font-semibold">Connect a device</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {givenCode === ''
          ? 'Enter the code that your terminal or device shows.'
          : 'Check that your terminal or device shows exactly this code.'}
      </p>
      <TextField
        label="Code"
        name="user-code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        placeholder="BCDF-GHJK"
        className="font-mono text-xl tracking-[0.15em] uppercase"
        value={code}
        error={failure?.message}
        onChange={(event) => {
          setCode(event.target.value);
          clearFailure();
        }}
      />
      <div className="mt-3">
        <Notice kind="warning">
          Go on only if you began this yourself. We never send anyone a code or a link to this page.
        </Notice>
      </div>
      <Button type="submit" size="large" busy={isRunning} className="mt-5 w-full">
        Continue
      </Button>
    </form>
  );
}

type DecisionProps = { waiting: Waiting; email: string; onDecision(decision: Decision): void };

function DecisionStep({ waiting, email, onDecision }: DecisionProps) {
  const { userCode, appName, startedAt, isElsewhere } = waiting;
  const allow = useAction(allowDevice);
  const refuse = useAction(refuseDevice);
  const failure = allow.failure ?? refuse.failure;
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">Connect {appName}?</h1>
      <p className="mt-1.5 mb-6 text-muted">
        The device that shows this code gets a key to spend credits that you buy in {appName} or allow it to
        use. It does not see your e-mail address or your other apps.
      </p>
      <dl className="mb-4 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">Code on the device</dt>
          <dd className="font-mono text-base font-medium tracking-[0.1em]">{userCode}</dd>
        </div>
        <div>
          <dt className="text-muted">Started</dt>
          <dd className="font-medium">
            <Time at={startedAt} />
          </dd>
        </div>
        <div>
          <dt className="text-muted">Signed in as</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
      </dl>
      <Notice kind="warning">
        {isElsewhere && (
          <strong className="mb-1 block font-semibold">
            It was started on a different network from yours.
          </strong>
        )}
        Is it a device in front of you, or your own server? If someone sent you the code, refuse: that person
        would get the key.
      </Notice>
      {failure && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
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
        Connect device
      </ArmedButton>
      <Button
        look="quiet"
        className="mt-2 w-full"
        busy={refuse.isRunning}
        onClick={async () => {
          if ((await refuse.run({ code: userCode })).ok) onDecision('refused');
        }}
      >
        Refuse
      </Button>
    </div>
  );
}

function Outcome({ decision, appName }: { decision: Decision; appName: string }) {
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{decision === 'allowed' ? 'Device connected' : 'Refused'}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {decision === 'allowed'
          ? `Return to your device: ${appName} continues there in a few seconds. You can sign the device out in your account at any time.`
          : 'The device gets no key. You can close this page.'}
      </p>
      <a
        href={decision === 'allowed' ? '/account/devices' : '/account'}
        className={`${buttonClass({ look: 'secondary' })} w-full`}
      >
        {decision === 'allowed' ? 'Show your devices' : 'Open your account'}
      </a>
    </div>
  );
}
