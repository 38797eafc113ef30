import Link from 'next/link';

/** An app by its name, in a list. */
export function AppLink({ id, name }: { id: string; name: string }) {
  return (
    <Link href={`/operator/apps/${id}`} className="font-medium underline-offset-2 hover:underline">
      {name}
    </Link>
  );
}
