'use client';

import { Search } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { Section } from '@/app/_ui/section';
import { SwitchField } from '@/app/_ui/switch-field';
import { useAction } from '@/app/_ui/use-action';
import { countOf } from '@/server/base/count-of';
import { saveModels } from './actions';

type Model = {
  id: string;
  name: string;
  type: string;
  provider: string;
  /** USD per million tokens. */
  input: string;
  output: string;
  /** The prices of what is counted besides text tokens. */
  units: string[];
  /** USD per 1,000 web searches; null if the model runs none. */
  webSearch: string | null;
};

type Props = {
  partnerId: string;
  models: Model[];
  /** Null allows all. */
  allowed: string[] | null;
};

/** All models, or a selection. Nothing takes effect until it is saved. */
export function ModelChoice({ partnerId, models, allowed }: Props) {
  const [isAll, setAll] = useState(allowed === null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(allowed ?? models.map(({ id }) => id)));
  const { run, isRunning, failure, clearFailure } = useAction(saveModels);
  const isChanged = isAll ? allowed !== null : allowed === null || !isSame(chosen, allowed);

  const choose = (ids: string[], isChosen: boolean) => {
    clearFailure();
    setChosen((before) => {
      const next = new Set(before);
      for (const id of ids) isChosen ? next.add(id) : next.delete(id);
      return next;
    });
  };

  return (
    <>
      <Section>
        <SwitchField
          label="All models"
          hint="Including models added later."
          checked={isAll}
          onChange={(checked) => {
            clearFailure();
            setAll(checked);
          }}
        />
      </Section>
      <ModelList
        models={isAll ? models : withMissing(models, chosen)}
        chosen={chosen}
        onChoose={isAll ? null : choose}
      />
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {isChanged && (
        <div className="sticky bottom-0 -mx-1 flex flex-wrap items-center justify-between gap-3 rounded-t-xl border border-line bg-surface px-5 py-4 shadow-lg">
          <span className="text-sm text-muted">
            {isAll ? 'All models' : `${chosen.size} of ${models.length} models`}, not saved yet
          </span>
          <span className="flex gap-2">
            <Button
              look="quiet"
              onClick={() => {
                setAll(allowed === null);
                setChosen(new Set(allowed ?? models.map(({ id }) => id)));
                clearFailure();
              }}
            >
              Undo
            </Button>
            <Button busy={isRunning} onClick={() => run({ partnerId, models: isAll ? null : [...chosen] })}>
              Save
            </Button>
          </span>
        </div>
      )}
    </>
  );
}

type ListProps = {
  models: Model[];
  chosen: ReadonlySet<string>;
  /** Null where all are allowed. */
  onChoose: ((ids: string[], isChosen: boolean) => void) | null;
};

function ModelList({ models, chosen, onChoose }: ListProps) {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(({ id, name }) =>
    words.every((word) => `${id} ${name}`.toLowerCase().includes(word)),
  );
  const providers = [...new Set(found.map(({ provider }) => provider))];
  return (
    <>
      <div className="relative mb-4">
        <Search
          size={16}
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-3.5 -translate-y-1/2 text-muted"
        />
        <input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-11 w-full rounded-lg border border-field/60 bg-surface pr-3 pl-10 hover:border-field"
        />
      </div>
      <p role="status" className="sr-only">
        {countOf(found.length, 'model')} found
      </p>
      {found.length === 0 && <EmptyState title="No models found">Search by name or provider.</EmptyState>}
      {providers.map((provider) => (
        <ProviderModels
          key={provider}
          provider={provider}
          models={found.filter((model) => model.provider === provider)}
          chosen={chosen}
          onChoose={onChoose}
        />
      ))}
    </>
  );
}

function ProviderModels({ provider, models, chosen, onChoose }: ListProps & { provider: string }) {
  const ids = models.map(({ id }) => id);
  const hasAll = ids.every((id) => chosen.has(id));
  const Row = onChoose ? 'label' : 'div';
  return (
    <Section
      title={provider}
      flush
      actions={
        onChoose && (
          <Button look="quiet" size="small" onClick={() => onChoose(ids, !hasAll)}>
            {hasAll ? 'None' : 'All'}
            <span className="sr-only"> of {provider}</span>
          </Button>
        )
      }
    >
      <ul>
        {models.map((model) => (
          <li key={model.id} className="border-t border-line/70">
            <Row
              className={`flex items-center gap-3.5 px-5 py-3 ${onChoose ? 'cursor-pointer hover:bg-sunken/60' : ''}`}
            >
              {onChoose && (
                <input
                  type="checkbox"
                  checked={chosen.has(model.id)}
                  onChange={(event) => onChoose([model.id], event.target.checked)}
                  className="size-4.5 shrink-0 accent-accent"
                />
              )}
              <span className="min-w-0 flex-1">
                <span className="block">{model.name}</span>
                <code className="block truncate font-mono text-[13px] text-muted">{model.id}</code>
              </span>
              <span className="text-right text-[13px] text-muted tabular-nums max-sm:hidden">
                {describePrices(model).map((price) => (
                  <span key={price} className="block">
                    {price}
                  </span>
                ))}
                {model.webSearch !== null && (
                  <span className="block">{asPrice(model.webSearch)} per 1,000 web searches</span>
                )}
              </span>
            </Row>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Keeps a chosen model that is currently not served in the list, so that it can be deselected. */
function withMissing(models: Model[], chosen: ReadonlySet<string>): Model[] {
  const known = new Set(models.map(({ id }) => id));
  const missing = [...chosen].filter((id) => !known.has(id));
  return [
    ...models,
    ...missing.map((id) => ({
      id,
      name: id,
      provider: id.split('/')[0] ?? id,
      input: '',
      output: '',
      units: [],
      type: '',
      webSearch: null,
    })),
  ];
}

function describePrices({ input, output, type, units }: Model): string[] {
  if (input === '') return ['Currently not served'];
  if (type === 'moderation') return ['Free'];
  const ofTokens = [
    ...(input === '0' ? [] : [`${asPrice(input)} in`]),
    ...(output === '0' ? [] : [`${asPrice(output)} out`]),
  ];
  return [...(ofTokens.length > 0 ? [`${ofTokens.join(' · ')} per 1M tokens`] : []), ...units];
}

/** At least cents; some prices have more digits. */
const asPrice = (usd: string): string =>
  `$${Number(usd).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;

const isSame = (chosen: ReadonlySet<string>, allowed: string[]): boolean =>
  chosen.size === new Set(allowed).size && allowed.every((id) => chosen.has(id));
