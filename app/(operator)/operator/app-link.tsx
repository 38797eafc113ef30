import Link from 'next/link';
import { ROW_LINK } from '@/app/_ui/row-link';

/** An app by its name, in a list. */
export function AppLink({ id, name }: { id: string; name: string }) {
  return (
    <Link href={`/operator/apps/${id}`} className={`font-medium ${ROW_LINK}`}>
      {name}
    </Link>
  );
}
