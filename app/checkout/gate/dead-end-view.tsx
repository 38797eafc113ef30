import { readableOrigin } from '../../_ui/readable-origin';
import type { Messages } from '../messages';
import { FullMessage, Panel, WarningMark } from '../panel';
import { ProblemStep } from '../problem-step';
import type { DeadEnd } from './gate-script';

/** What the gate shows instead of a checkout. */
export function DeadEndView({ view, say }: { view: DeadEnd; say: Messages }) {
  return (
    <Panel>
      {view.kind === 'refused' && (
        <FullMessage title={say.refusedTitle} icon={<WarningMark />}>
          <p className="text-muted">{say.refused[view.why].text}</p>
          <RefusedOrigin origin={view.origin} />
          <p className="max-w-80 text-sm text-muted">{say.refused[view.why].hint}</p>
        </FullMessage>
      )}
      {view.kind === 'no_opener' && (
        <FullMessage title={say.noOpenerTitle}>
          <p className="text-muted">{say.noOpenerText}</p>
        </FullMessage>
      )}
      {view.kind === 'broken' && (
        <ProblemStep
          title={say.brokenTitle}
          text={say.brokenText}
          action={say.retry}
          onAction={() => window.location.reload()}
        />
      )}
    </Panel>
  );
}

function RefusedOrigin({ origin }: { origin: string }) {
  const readable = readableOrigin(origin);
  return (
    <p className="my-3 max-w-full rounded-lg bg-sunken px-4 py-2.5 text-sm break-all">
      <span className="font-mono">{origin}</span>
      {readable !== null && <span className="mt-1 block text-muted">{readable}</span>}
    </p>
  );
}
