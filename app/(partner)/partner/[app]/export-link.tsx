import { Download } from 'lucide-react';
import { buttonClass } from '@/app/_ui/button';

/** A plain link, because the browser shows a download's progress itself. */
export function ExportLink({ href }: { href: string }) {
  return (
    <a href={href} download className={buttonClass({ look: 'secondary', size: 'medium' })}>
      <Download size={16} aria-hidden="true" />
      Export CSV
    </a>
  );
}
