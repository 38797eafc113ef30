import type { Operation } from '../operation';
import { BATCHES } from './batches';
import { CHECKOUT } from './checkout';
import { CREDITS } from './credits';
import { DOCUMENT } from './document';
import { EVENTS } from './events';
import { GENERATE } from './generate';
import { KEYS } from './keys';
import { MODELS } from './models';
import { OAUTH } from './oauth';
import { SIGN_IN } from './sign-in';
import { VIDEOS } from './videos';

/** Every documented endpoint, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...GENERATE,
  ...VIDEOS,
  ...BATCHES,
  ...MODELS,
  ...CREDITS,
  ...CHECKOUT,
  ...SIGN_IN,
  ...OAUTH,
  ...KEYS,
  ...EVENTS,
  ...DOCUMENT,
];
