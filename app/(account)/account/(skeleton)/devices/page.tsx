import { Laptop, Smartphone, SquareTerminal } from 'lucide-react';
import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { describeDevice } from '@/app/_ui/describe-device';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { type Device, listDevices } from '@/server/people/devices';
import { LogOutDevice, LogOutEverywhere, LogOutOthers } from './log-out';

export const metadata: Metadata = { title: 'Devices' };

const ICONS = { computer: Laptop, phone: Smartphone, program: SquareTerminal };

/** Where a user is signed in. Signing a device out revokes the keys that apps got on it. */
export default async function DevicesPage() {
  const { userId, sessionId } = await requireSession();
  const devices = await listDevices(userId);
  const here = devices.filter((device) => device.sessionId === sessionId);
  const others = devices.filter((device) => device.sessionId !== sessionId);
  return (
    <>
      <PageHead
        title="Devices"
        description="Browsers and apps where you are signed in. Signing one out also revokes the keys that apps got on it. Your credits stay."
      />
      <Section
        title="Signed in now"
        actions={
          <div className="flex flex-wrap gap-2">
            {others.length > 0 && <LogOutOthers count={others.length} />}
            <LogOutEverywhere />
          </div>
        }
        flush
      >
        <ul>
          {[...here, ...others].map((device) => (
            <DeviceLine key={device.sessionId} device={device} isHere={device.sessionId === sessionId} />
          ))}
        </ul>
      </Section>
    </>
  );
}

function DeviceLine({ device, isHere }: { device: Device; isHere: boolean }) {
  const { name, kind } = describeDevice(device.userAgent);
  const Icon = ICONS[kind];
  return (
    <li className="flex items-center gap-4 border-b border-line/70 px-5 py-4 last:border-0">
      <span className="grid size-10 shrink-0 place-items-center self-start rounded-full bg-sunken text-muted max-sm:hidden">
        <Icon size={18} aria-hidden="true" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name} {isHere && <Badge look="positive">This device</Badge>}
        </p>
        <p className="text-[13px] text-muted">
          Last seen <Time at={device.lastSeenAt.toISOString()} />
          <span className="max-sm:hidden"> · </span>
          <span className="max-sm:block">
            signed in <Time at={device.createdAt.toISOString()} withClock={false} />
          </span>
        </p>
        {device.apps.length > 0 && (
          <p className="text-[13px] text-muted">Keys for {device.apps.join(', ')}</p>
        )}
      </div>
      <LogOutDevice sessionId={device.sessionId} name={name} apps={device.apps} isHere={isHere} />
    </li>
  );
}
