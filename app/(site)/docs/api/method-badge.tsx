const LOOKS: Record<string, string> = {
  get: 'bg-positive-soft text-positive',
  post: 'bg-accent-soft text-accent',
};

export function MethodBadge({ method }: { method: string }) {
  return (
    <span
      className={`inline-flex h-6 w-12 shrink-0 items-center justify-center rounded-md font-mono text-[11px] font-medium uppercase ${LOOKS[method] ?? 'bg-sunken text-muted'}`}
    >
      {method}
    </span>
  );
}
