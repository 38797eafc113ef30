import type { ReactNode } from 'react';

/** Says why nothing is here yet and what would change that. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      {icon && (
        <div className="mb-4 grid size-12 place-items-center rounded-full bg-sunken text-muted">{icon}</div>
      )}
      <p className="font-medium">{title}</p>
      {children && <div className="mt-1 max-w-[44ch] text-sm text-pretty text-muted">{children}</div>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
