import { GOOGLE_IMAGE_TOKENS, imageUnits, needsSize } from '../protocols/images/image-tokens';
import { NO_TOKENS, type TokenUsage, type UnitKind, type Units, writeUnits } from '../protocols/neutral';
import { TOKENS_PER_SECOND } from '../protocols/transcriptions/audio-units';
import { videoUnits } from '../protocols/videos/protocol';
import type { CatalogModel } from './catalog';

/** What an estimate assumes for a model that is not priced by text tokens: `what` says it. */
export type UnitExample = { what: string; usage: TokenUsage };

const AMOUNTS: Readonly<Record<UnitKind, readonly [number, string]>> = {
  audio_token: [1_000, '1,000 audio tokens'],
  character: [1_000, '1,000 characters'],
  image: [1, '1 image'],
  image_token: [1_000, '1,000 image tokens'],
  page: [1, '1 page'],
  query: [1, '1 query with up to 100 short documents'],
  second: [60, '1 minute'],
  video_token: [1_000, '1,000 video tokens'],
};

/** Of some 150 words. */
const TOKENS_PER_MINUTE = 200;

/** Null for a model that is priced by text tokens. */
export function exampleOf(model: CatalogModel): UnitExample | null {
  const { type, prices } = model;
  if (type === 'language') return null;
  if (type === 'moderation') return { what: '1 text', usage: NO_TOKENS };
  if (type === 'video')
    return {
      what: '4 seconds at the highest resolution',
      usage: withUnits(videoUnits({ seconds: 4, images: 0 }, prices)),
    };
  const { inputUnit, outputUnit } = prices;
  if (type === 'image' && needsSize(model.upstreamModel))
    return {
      what: '1 image of 1024x1024 in medium quality',
      usage: withUnits(
        imageUnits({ model: model.id, prompt: '', size: '1024x1024', quality: 'medium' }, model),
      ),
    };
  if (type === 'image' && model.provider === 'google')
    return { what: '1 image', usage: withUnits({ input: 0, output: GOOGLE_IMAGE_TOKENS }) };
  if (type === 'transcription' && inputUnit?.kind === 'audio_token')
    return {
      what: `1 minute of speech, with ${TOKENS_PER_MINUTE} tokens of text`,
      usage: { ...withUnits({ input: 60 * TOKENS_PER_SECOND, output: 0 }), output: TOKENS_PER_MINUTE },
    };
  const unit = outputUnit ?? inputUnit;
  if (unit === undefined) return null;
  const [count, what] = AMOUNTS[unit.kind];
  return {
    what,
    usage: withUnits(outputUnit ? { input: 0, output: count } : { input: count, output: 0 }),
  };
}

const withUnits = (units: Units): TokenUsage => ({ ...NO_TOKENS, ...writeUnits(units) });
