import { type ReactNode, useRef } from 'react';
import { useEarlyInput } from './use-early-input';

type Props = {
  legend: ReactNode;
  amounts: number[];
  choice: number | 'custom';
  onChoose(choice: number | 'custom'): void;
  /** What an amount costs, and the credits it buys. */
  describe(amount: number): { money: string; credits: string };
  customLabel: string;
};

/** Preset amounts and a custom one, as tiles to choose from. */
export function AmountTiles({ legend, amounts, choice, onChoose, describe, customLabel }: Props) {
  return (
    <fieldset>
      {legend}
      <div className="grid grid-cols-3 gap-2.5">
        {amounts.map((amount) => {
          const { money, credits } = describe(amount);
          return (
            <Tile
              key={amount}
              value={String(amount)}
              isChosen={choice === amount}
              onChoose={() => onChoose(amount)}
            >
              <span className="text-[1.0625rem] font-semibold tabular-nums">{money}</span>
              <span className="text-xs break-keep text-muted tabular-nums">{credits}</span>
            </Tile>
          );
        })}
        <Tile value="custom" isChosen={choice === 'custom'} onChoose={() => onChoose('custom')}>
          <span className="text-sm leading-tight font-medium">{customLabel}</span>
        </Tile>
      </div>
    </fieldset>
  );
}

type TileProps = { value: string; isChosen: boolean; onChoose(): void; children: ReactNode };

function Tile({ value, isChosen, onChoose, children }: TileProps) {
  const radio = useRef<HTMLInputElement>(null);
  useEarlyInput(radio);
  return (
    <label className="relative grid min-h-[72px] cursor-pointer place-content-center justify-items-center gap-0.5 rounded-xl border border-field/40 px-1 text-center transition-colors hover:border-field has-checked:border-accent has-checked:bg-accent-soft has-checked:ring-1 has-checked:ring-accent forced-colors:has-checked:border-3 forced-colors:has-checked:border-[Highlight] has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <input
        ref={radio}
        type="radio"
        name="preset"
        value={value}
        checked={isChosen}
        onChange={onChoose}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
      {children}
    </label>
  );
}
