'use client';

import { X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react';
import type { Language } from '@/texts/languages';
import { countCredits } from '../../_ui/amount';
import { Button } from '../../_ui/button';
import { TextField } from '../../_ui/text-field';
import type { Messages } from '../messages';
import type { Offer } from './purchase-amount';

type Props = {
  say: Messages;
  language: Language;
  offer: Offer | null;
  /** Whether the chosen amount is enough for the code. */
  hasBonus: boolean;
  /** Returns the reason why the code gives nothing. */
  onApply(code: string): Promise<string | undefined>;
  /** A code that the user entered before they confirmed their identity. */
  entered?: string | undefined;
  /** Whether it is applied now, or only shown. */
  appliesEntered?: boolean;
  onRemove(): void;
};

/** A link that opens the field for a promotion code; the code, once it is applied. Inside the form of a purchase. */
export function PromotionField(props: Props) {
  const { say, offer } = props;
  const [isOpen, setOpen] = useState(props.entered !== undefined);
  if (offer !== null) return <AppliedCode {...props} offer={offer} />;
  if (isOpen) return <CodeEntry {...props} />;
  return (
    <Button look="quiet" size="small" className="mb-3 -ml-3" onClick={() => setOpen(true)}>
      {say.codeAdd}
    </Button>
  );
}

function AppliedCode({ say, language, offer, hasBonus, onRemove }: Props & { offer: Offer }) {
  return (
    <div className="mb-3 text-sm">
      <p className="flex min-h-10 items-center justify-between gap-3" role="status">
        <span className="wrap-anywhere text-muted">{say.codeApplied({ code: offer.code })}</span>
        <Button
          look="quiet"
          size="small"
          aria-label={say.codeRemove({ code: offer.code })}
          onClick={onRemove}
        >
          <X size={16} aria-hidden="true" />
        </Button>
      </p>
      {!hasBonus && (
        <p className="text-muted">
          {offer.min_purchase > 0
            ? say.codeMinimum({ count: countCredits(offer.min_purchase, language) })
            : say.codeRefusals.too_small}
        </p>
      )}
    </div>
  );
}

function CodeEntry({ say, onApply, entered = '', appliesEntered = false }: Props) {
  const [typed, setTyped] = useState(entered);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function apply() {
    if (typed.trim() === '' || isBusy) return;
    setBusy(true);
    setFailure(await onApply(typed));
    setBusy(false);
  }

  const applyEntered = useEffectEvent(() => void apply());
  useEffect(() => {
    if (appliesEntered) applyEntered();
  }, [appliesEntered]);

  /** Enter belongs to the code, not to the purchase around it. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void apply();
  }

  return (
    <div className="mb-2 flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          label={say.codeLabel}
          name="promotion_code"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus={!appliesEntered}
          maxLength={40}
          value={typed}
          error={failure}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setTyped(event.target.value);
            setFailure(undefined);
          }}
        />
      </div>
      <Button look="secondary" className="mt-[1.625rem] h-12" busy={isBusy} onClick={() => void apply()}>
        {say.codeApply}
      </Button>
    </div>
  );
}
