import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';

/** An app's name in a list, linked to its page. */
export function AppLink({ id, name }: { id: string; name: string }) {
  return (
    <PageLink href={`/operator/apps/${id}`} className={`font-medium ${ROW_LINK}`}>
      {name}
    </PageLink>
  );
}
