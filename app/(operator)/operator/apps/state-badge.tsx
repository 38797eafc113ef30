import { Badge, type BadgeLook } from '@/app/_ui/badge';

export type AppState = 'pending' | 'declined' | 'disabled' | 'paused' | 'deleted' | 'enabled';

const LOOKS: Record<AppState, [BadgeLook, string]> = {
  pending: ['warning', 'Waiting'],
  declined: ['neutral', 'Declined'],
  disabled: ['danger', 'Disabled'],
  paused: ['warning', 'Paused by its team'],
  deleted: ['neutral', 'Deleted'],
  enabled: ['positive', 'Enabled'],
};

export function StateBadge({ state }: { state: AppState }) {
  const [look, text] = LOOKS[state];
  return <Badge look={look}>{text}</Badge>;
}
