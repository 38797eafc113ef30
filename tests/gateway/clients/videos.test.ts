import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { checkLedger } from '@/server/ledger';
import type { Person } from '../../harness/people';
import { answer, bookedOf, FILM, GROK, lookNow, startVideoWorld } from '../videos/video-world';

const { url, provider, start, read, newBuyer } = await startVideoWorld();

const clientOf = ({ userKey }: Person) =>
  new OpenAI({ apiKey: userKey, baseURL: `${url}/v1`, maxRetries: 0 });

/** $0.07 a second at 720p and $0.05 at 480p, in microcredits. */
const AT_720 = 7_000_000n;
const AT_480 = 5_000_000n;

describe('videos', () => {
  test('are made, listed, downloaded and deleted with the OpenAI SDK', async () => {
    const buyer = await newBuyer();
    const client = clientOf(buyer);
    const queued = await client.videos.create({
      model: GROK,
      prompt: 'A lighthouse',
      seconds: '4',
      size: '720x1280',
      input_reference: { image_url: 'https://example.com/lighthouse.png' },
    });
    expect(queued).toMatchObject({ object: 'video', status: 'queued', seconds: '4', size: '720x1280' });
    const { user, ...sent } = provider.started.at(-1) ?? {};
    expect(sent).toEqual({
      model: 'grok-imagine-video',
      prompt: 'A lighthouse',
      duration: 4,
      resolution: '720p',
      aspect_ratio: '9:16',
      image: { url: 'https://example.com/lighthouse.png' },
    });
    expect(user).toMatch(/^[\w-]{20,64}$/);

    provider.onRead = answer({ status: 'pending', progress: 40 });
    await lookNow();
    expect(await client.videos.retrieve(queued.id)).toMatchObject({ status: 'in_progress', progress: 40 });
    provider.onRead = answer(provider.done());
    await lookNow();
    const done = await client.videos.retrieve(queued.id);
    expect(done).toMatchObject({ status: 'completed', progress: 100, error: null });
    expect(JSON.stringify(done)).not.toContain('files');

    const content = await client.videos.downloadContent(queued.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(Buffer.from(await content.arrayBuffer())).toEqual(FILM);
    expect(provider.files.at(-1)).toBe('/files/film.mp4?sig=account without key');

    const listed = [];
    for await (const video of client.videos.list({ limit: 1 })) listed.push(video.id);
    expect(listed).toEqual([queued.id]);
    expect(await client.videos.delete(queued.id)).toMatchObject({ deleted: true });
    await expect(client.videos.retrieve(queued.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.videos.downloadContent(queued.id)).rejects.toMatchObject({ status: 404 });
  });

  test('begin with a file of a form', async () => {
    const pixel = Buffer.from('89504e470d0a1a0a', 'hex');
    const image = await toFile(pixel, 'a.png', { type: 'image/png' });
    await clientOf(await newBuyer()).videos.create({ model: GROK, prompt: 'Waves', input_reference: image });
    expect(provider.started.at(-1)?.image).toEqual({
      url: `data:image/png;base64,${pixel.toString('base64')}`,
    });
  });

  test('of the sandbox take several looks, and are videos', async () => {
    const buyer = await newBuyer();
    const { id } = await (await start(buyer, { model: 'sandbox/film', seconds: 2 })).json();
    await lookNow();
    await lookNow();
    expect(await (await read(buyer, `/${id}`)).json()).toMatchObject({ status: 'in_progress', progress: 66 });
    await lookNow();
    const content = await read(buyer, `/${id}/content`);
    expect(content.status).toBe(200);
    const film = Buffer.from(await content.arrayBuffer());
    expect(film.subarray(4, 12).toString()).toBe('ftypisom');
    const failing = await (await start(buyer, { model: 'sandbox/film-error' })).json();
    for (let look = 0; look < 3; look++) await lookNow();
    expect(await (await read(buyer, `/${failing.id}`)).json()).toMatchObject({
      status: 'failed',
      error: { code: 'upstream_error' },
      usage: { cost: 0 },
    });
  });

  test.each([
    [{ seconds: 4, size: '1280x720' }, 4n * AT_720],
    [{ seconds: '15', size: '854x480' }, 15n * AT_480],
    [{}, 4n * AT_720],
    [{ seconds: 1, input_reference: { image_url: 'https://example.com/a.png' } }, AT_720 + 200_000n],
  ])('of %j hold the price of their resolution, and are charged that', async (body, cost) => {
    const buyer = await newBuyer();
    provider.onRead = answer(provider.done({ video: { url: `${provider.url}/files/a.mp4` } }));
    await start(buyer, body);
    const { rows } = await pool().query('SELECT amount FROM hold WHERE user_id = $1', [buyer.userId]);
    expect(rows).toEqual([{ amount: (cost * 5n) / 4n }]);
    await lookNow();
    const { receipts, holds } = await bookedOf(buyer);
    expect(receipts).toMatchObject([{ provider_cost: cost, charge: (cost * 5n) / 4n, outcome: 'completed' }]);
    expect(holds).toBe(0);
  });

  test('have a receipt that names the price of their resolution', async () => {
    const buyer = await newBuyer();
    provider.onRead = answer(provider.done());
    const { id } = await (await start(buyer, { size: '480x480' })).json();
    await lookNow();
    const headers = { authorization: `Bearer ${buyer.userKey}` };
    const path = `/v1/credits/receipts/${id.replace('video_', 'req_')}`;
    const receipt = await (await fetch(url + path, { headers })).json();
    expect(receipt).toMatchObject({ output_units: 4, estimated: false });
    expect(receipt.price_version).toContain('.480p.');
    expect(await (await read(buyer, `/${id}`)).json()).toMatchObject({ usage: { cost: 0.25 } });
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('are charged what the provider reports, at most the hold', async () => {
    const buyer = await newBuyer();
    provider.onRead = answer(provider.done({ usage: { cost_in_usd_ticks: 1_000_000_000 } }));
    await start(buyer);
    await lookNow();
    provider.onRead = answer(provider.done({ video: { ...Object(provider.done().video), duration: 9 } }));
    await start(buyer);
    await lookNow();
    const { receipts } = await bookedOf(buyer);
    expect(receipts).toMatchObject([
      { provider_cost: 10_000_000n, charge: 12_500_000n },
      { provider_cost: 9n * AT_720, charge: 5n * AT_720, held: 5n * AT_720 },
    ]);
  });

  test.each([
    [{ seconds: 16 }, 'seconds'],
    [{ seconds: '4.5' }, 'seconds'],
    [{ seconds: '٤' }, 'seconds'],
    [{ size: '1792x1024' }, 'size'],
    [{ size: '1920x1080' }, 'size'],
    [{ prompt: '' }, 'prompt'],
    [{ input_reference: { file_id: 'file-1' } }, 'input_reference.image_url'],
    [{ input_reference: { image_url: 'http://10.0.0.1/a.png' } }, 'input_reference.image_url'],
    [{ input_reference: { image_url: 'https://169.254.169.254/a.png' } }, 'input_reference.image_url'],
    [{ input_reference: { image_url: 'data:image/png;base64,JVBERi0xLjQ=' } }, 'input_reference.image_url'],
    [{ model: 'sandbox/echo' }, 'model'],
  ])('with %j are refused, naming the field', async (body, param) => {
    const before = provider.started.length;
    const response = await start(await newBuyer(), body);
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatchObject({ param });
    expect(provider.started).toHaveLength(before);
  });

  test('without enough credits are refused, and the provider is not called', async () => {
    const before = provider.started.length;
    const poor = await newBuyer(20);
    expect((await start(poor)).status).toBe(402);
    expect(provider.started).toHaveLength(before);
    expect((await start(await newBuyer(), {}, { 'x-svc-max-credits': '10' })).status).toBe(402);
  });

  test('of others do not exist', async () => {
    const buyer = await newBuyer();
    const { id } = await (await start(buyer)).json();
    await lookNow();
    const other = await newBuyer();
    for (const [path, method] of [
      ['', 'GET'],
      ['/content', 'GET'],
      ['', 'DELETE'],
    ] as const)
      expect((await read(other, `/${id}${path}`, method)).status).toBe(404);
    expect(await (await read(other, '')).json()).toMatchObject({ data: [], has_more: false });
    for (const wrong of ['video_', 'video_%00', `video_${'a'.repeat(61)}`])
      expect((await read(buyer, `/${wrong}`)).status).toBe(404);
    expect((await read(buyer, `/${id}`)).status).toBe(200);
  });

  test('are listed in pages, in both orders', async () => {
    const buyer = await newBuyer();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await (await start(buyer, { seconds: 1 })).json()).id);
    const page = async (query: string) =>
      (await (await read(buyer, query)).json()) as { data: { id: string }[]; has_more: boolean };
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    expect(idsOf(await page(''))).toEqual(ids.toReversed());
    expect(idsOf(await page('?order=asc&limit=2'))).toEqual(ids.slice(0, 2));
    const rest = await page(`?order=asc&after=${ids[1]}`);
    expect([idsOf(rest), rest.has_more]).toEqual([ids.slice(2), false]);
    expect((await read(buyer, '?limit=0')).status).toBe(400);
    await lookAfterVideos();
  });
});
