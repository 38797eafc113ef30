'use client';

import { Menu } from '@base-ui/react/menu';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import { PageLink } from '@/app/_ui/page-link';

type App = { id: string; name: string };
type Team = { name: string; apps: App[] };

const ITEM =
  'flex h-11 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 text-sm outline-none data-[highlighted]:bg-sunken sm:h-9';

/** Switches between the apps of the member's teams, or to a new one. */
export function AppSwitcher({ current, teams }: { current: string; teams: Team[] }) {
  const name = teams.flatMap(({ apps }) => apps).find(({ id }) => id === current)?.name ?? '';
  return (
    <Menu.Root>
      <Menu.Trigger className="flex h-11 w-full shrink-0 items-center gap-2.5 rounded-lg border border-line px-2.5 text-sm font-medium hover:bg-sunken">
        <Initial name={name} />
        <span className="min-w-0 flex-1 truncate text-left">{name}</span>
        <span className="sr-only">Switch app</span>
        <ChevronsUpDown size={15} aria-hidden="true" className="shrink-0 text-muted" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" className="z-50">
          <Menu.Popup className="max-h-[60dvh] w-60 overflow-y-auto rounded-xl border border-line bg-surface p-1.5 shadow-xl outline-none">
            {teams.map(({ name: team, apps }) => (
              <Menu.Group key={apps[0]?.id ?? team}>
                {teams.length > 1 && (
                  <Menu.GroupLabel className="truncate px-2.5 pt-2 pb-1 text-[13px] text-muted">
                    {team}
                  </Menu.GroupLabel>
                )}
                {apps.map((app) => (
                  <Menu.Item key={app.id} render={<PageLink href={`/partner/${app.id}`} />} className={ITEM}>
                    <Initial name={app.name} />
                    <span className="min-w-0 flex-1 truncate">{app.name}</span>
                    {app.id === current && <Check size={15} aria-label="current" />}
                  </Menu.Item>
                ))}
              </Menu.Group>
            ))}
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.Item render={<PageLink href="/partner/new" />} className={ITEM}>
              <span className="grid size-6 place-items-center text-muted">
                <Plus size={16} aria-hidden="true" />
              </span>
              New app
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      data-letter={[...name][0]}
      className="grid size-6 shrink-0 place-items-center rounded-md bg-accent-soft text-xs font-semibold text-accent uppercase before:content-[attr(data-letter)]"
    />
  );
}
