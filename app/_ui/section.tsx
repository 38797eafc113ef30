import { type ReactNode, useId } from 'react';

type Props = {
  /** Where a link to it points. */
  id?: string;
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** For tables and lists, which bring their own padding. */
  flush?: boolean;
  children: ReactNode;
};

/** A card of a dashboard page with its own heading. */
export function Section({ id: anchor, title, description, actions, flush = false, children }: Props) {
  const id = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={title === undefined ? undefined : id}
      className="mb-6 overflow-hidden rounded-xl border border-line bg-surface"
    >
      {title && (
        <div className={`flex flex-wrap items-center justify-between gap-3 px-5 pt-5 ${flush ? 'pb-3' : ''}`}>
          <div className="min-w-0">
            <h2 id={id} className="font-semibold">
              {title}
            </h2>
            {description && <p className="mt-0.5 max-w-[68ch] text-sm text-muted">{description}</p>}
          </div>
          {actions}
        </div>
      )}
      <div className={flush ? '' : 'p-5'}>{children}</div>
    </section>
  );
}
