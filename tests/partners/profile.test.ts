import { expect, it } from 'vitest';
import { GET } from '@/app/logos/[hash]/route';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { changePartner } from '@/server/operator/change-partner';
import { createPartner, type Partner } from '@/server/partners/partner';
import {
  listWaitingProfiles,
  type ProfileInput,
  readProfiles,
  readShownProfile,
  saveProfile,
} from '@/server/partners/profile';
import { askForApproval, isApprovalAsked, renamePartner } from '@/server/partners/rename';
import { newDatabase } from '../harness';

await newDatabase();

/** The head of a picture of 64 by 64 pixels, and what makes it different from others. */
const picture = (rest: string): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x40', 'latin1'),
    Buffer.alloc(9),
    Buffer.from(rest),
  ]);

const newApp = () => createPartner({ name: 'Harbour', rateBp: 0, origins: [] });
const save = ({ id }: Partner, input: Partial<ProfileInput>) =>
  inTransaction((tx) => saveProfile(tx, id, { site: '', support: '', ...input }));
const review = (app: Partner, what: 'profile_approve' | 'profile_decline', hash: string) =>
  changePartner({
    operator: 'boss@example.com',
    partnerId: app.id,
    reason: 'seen',
    change: { do: what, hash },
  });
const pendingHash = async ({ id }: Partner): Promise<string> =>
  (await readProfiles(id)).pending?.hash ?? 'none';
const openLogo = (path: string) =>
  GET(new Request('https://svc.example'), {
    params: Promise.resolve({ hash: path.split('/').at(-1) ?? '' }),
  });

it('users see a profile only once an operator approved it, and the approved one until a change is approved', async () => {
  const app = await newApp();
  const nothing = { site: null, support: null, logoPath: null };
  expect(
    await save(app, { site: 'https://Harbour.example', support: 'Help@Harbour.example', logo: picture('a') }),
  ).toBe('waiting');
  expect(await readShownProfile(app.id)).toEqual(nothing);
  expect(await listWaitingProfiles()).toContain(app.id);
  await review(app, 'profile_approve', await pendingHash(app));
  const shown = await readShownProfile(app.id);
  expect(shown).toMatchObject({ site: 'https://harbour.example/', support: 'help@harbour.example' });

  // An absent logo is kept, and the approved profile stays.
  expect(await save(app, { site: 'https://other.example' })).toBe('waiting');
  expect(await readShownProfile(app.id)).toEqual(shown);
  expect((await readProfiles(app.id)).pending?.logo).not.toBeNull();
  await review(app, 'profile_decline', await pendingHash(app));
  expect(await readShownProfile(app.id)).toEqual(shown);
  expect(await listWaitingProfiles()).not.toContain(app.id);
});

it('saving what is approved ends the wait of a change', async () => {
  const app = await newApp();
  await save(app, { site: 'https://harbour.example' });
  await review(app, 'profile_approve', await pendingHash(app));
  await save(app, { site: 'https://other.example' });
  expect(await save(app, { site: 'https://harbour.example/' })).toBe('saved');
  expect((await readProfiles(app.id)).pending).toBeNull();
});

it('an operator approves exactly what they saw @attack', async () => {
  const app = await newApp();
  await save(app, { logo: picture('harmless') });
  const seen = await pendingHash(app);
  await save(app, { logo: picture('another') });
  await expect(review(app, 'profile_approve', seen)).rejects.toThrow('no longer waiting');
  expect((await readShownProfile(app.id)).logoPath).toBeNull();
});

it('a logo comes from our own origin with a fixed type, and only while it is approved @attack', async () => {
  const app = await newApp();
  const image = picture('<script>alert(1)</script>');
  await save(app, { logo: image });
  const path = `/logos/${await pendingHash(app)}`;
  expect((await openLogo(path)).status).toBe(404);
  await review(app, 'profile_approve', await pendingHash(app));
  expect((await readShownProfile(app.id)).logoPath).toBe(path);
  const response = await openLogo(path);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(image);
  await save(app, { logo: null, site: 'https://harbour.example' });
  await review(app, 'profile_approve', await pendingHash(app));
  expect((await openLogo(path)).status).toBe(404);
});

it.each([
  ['site', 'http://harbour.example'],
  ['site', 'javascript:alert(1)'],
  ['site', 'https://user:pass@harbour.example'],
  ['site', 'https://harbour.example:8443'],
  ['site', 'https://harbour.example/?user=1'],
  ['site', 'https://localhost'],
  ['site', `https://harbour.example/${'x'.repeat(200)}`],
  ['support', 'help'],
  ['support', 'help@harbour.example?bcc=all@example.com'],
  ['support', 'a@b.example,c@d.example'],
  ['support', `${'a.'.repeat(400)}@example.com`],
  ['support', `a@${'a-'.repeat(20_000)}`],
])('a %s that is not a plain address is refused at its field: %s @attack', async (field, text) => {
  const app = await newApp();
  await expect(save(app, { [field]: text })).rejects.toMatchObject({ param: field });
  await expect(save(app, { logo: Buffer.from('<svg/>') })).rejects.toMatchObject({ param: 'logo' });
  expect(await prisma().partnerProfile.count({ where: { partnerId: app.id } })).toBe(0);
});

it('a team asks for the approval of a name once, and again for another name', async () => {
  Object.assign(settings(), { PARTNER_SIGNUP: 'open' });
  const read = (id: string) => prisma().partner.findUniqueOrThrow({ where: { id } });
  const created = await createPartner({ name: 'Quay', rateBp: 0, origins: [], askedBy: { teamId: null } });
  const ask = () => inTransaction((tx) => askForApproval(tx, created));
  expect(isApprovalAsked(created)).toBe(false);
  await ask();
  expect(isApprovalAsked(await read(created.id))).toBe(true);
  await expect(ask()).rejects.toThrow('asked already');
  await renamePartner(await read(created.id), 'Quay notes');
  expect(isApprovalAsked(await read(created.id))).toBe(false);
  await ask();
  const change = { do: 'name_approve', name: 'Quay notes' } as const;
  await changePartner({ operator: 'boss@example.com', partnerId: created.id, reason: 'seen', change });
  expect(isApprovalAsked(await read(created.id))).toBe(false);
  await expect(ask()).rejects.toThrow('is approved');
});
