/**
 * The messages between the widget and the checkout. Both sides share only this file. Every message is checked
 * against it on arrival; unknown and oversized ones are dropped.
 */

import type { CheckoutMode, Currency, Display, Failure, Metadata } from './api';

export const PROTOCOL_VERSION = 1;

export const DISPLAYS: readonly Display[] = ['embedded', 'popup', 'new_tab'];
export const CHECKOUT_MODES: readonly CheckoutMode[] = ['embedded', 'new_tab', 'manual'];
export const CURRENCIES: readonly Currency[] = ['usd', 'eur'];
export const METADATA_CHARACTERS = 500;

type Check<Value> = (value: unknown) => value is Value;
type Shape = Record<string, Check<unknown>>;
type Fields<S extends Shape> = { [Name in keyof S]: S[Name] extends Check<infer Value> ? Value : never };
type Message<Shapes extends Record<string, Shape>> = {
  [Type in keyof Shapes]: { t: Type } & Fields<Shapes[Type]>;
}[keyof Shapes];

const text =
  (characters: number): Check<string> =>
  (value): value is string =>
    typeof value === 'string' && value.length > 0 && value.length <= characters;
const number: Check<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);
const boolean: Check<boolean> = (value): value is boolean => typeof value === 'boolean';
const oneOf =
  <Values extends readonly string[]>(values: Values): Check<Values[number]> =>
  (value): value is Values[number] =>
    values.includes(value as string);
const orNull =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value): value is Value | null =>
    value === null || check(value);
const failure: Check<Failure> = (value): value is Failure =>
  isRecord(value) && text(60)(value.code) && text(500)(value.message);

export const isMetadata: Check<Metadata> = (value): value is Metadata =>
  isRecord(value) &&
  Object.values(value).every((entry) => typeof entry === 'string' || boolean(entry) || number(entry)) &&
  JSON.stringify(value).length <= METADATA_CHARACTERS;

/**
 * Messages between windows, before there is a port. `hello` contains no secret, so any window may receive it.
 */
export const WINDOW_MESSAGES = {
  /** `page` distinguishes a document that repeats its hello from a new one. */
  hello: { rid: text(64), document: oneOf(['gate', 'session'] as const), page: text(64) },
  init: {
    rid: text(64),
    publishable_key: text(120),
    challenge: text(128),
    currency: oneOf(CURRENCIES),
    display: oneOf(DISPLAYS),
    checkout_mode: oneOf(CHECKOUT_MODES),
    amount: orNull(number),
    metadata: orNull(isMetadata),
  },
} satisfies Record<string, Shape>;

/** Checkout → widget, over the port of the session document. */
export const FROM_CHECKOUT = {
  ready: {},
  signed_in: { token: text(400) },
  forget_key: {},
  logged_out: {},
  checkout_opened: { session_id: text(80), checkout_url: orNull(text(2000)) },
  paying: { paying: boolean },
  credits_added: { type: oneOf(['purchase', 'permission'] as const), balance: number, credits_added: number },
  purchase_error: { error: failure },
  error: { error: failure },
  close: {},
} satisfies Record<string, Shape>;

/** Widget → checkout, over the port of the session document. */
export const FROM_WIDGET = {
  held_key: { user_key: orNull(text(200)) },
  key_exchanged: { ok: boolean },
  close_requested: {},
} satisfies Record<string, Shape>;

export type WindowMessage = Message<typeof WINDOW_MESSAGES>;
export type FromCheckout = Message<typeof FROM_CHECKOUT>;
export type FromWidget = Message<typeof FROM_WIDGET>;
export type Init = Extract<WindowMessage, { t: 'init' }>;

/**
 * Returns the message with its known fields only, or null for anything that does not match one of `shapes`.
 */
export function readMessage<Shapes extends Record<string, Shape>>(
  shapes: Shapes,
  data: unknown,
): Message<Shapes> | null {
  if (!isRecord(data) || data.v !== PROTOCOL_VERSION || typeof data.t !== 'string') return null;
  const shape = Object.prototype.hasOwnProperty.call(shapes, data.t) ? shapes[data.t] : undefined;
  if (!shape) return null;
  const message: Record<string, unknown> = { t: data.t };
  for (const [name, check] of Object.entries(shape)) {
    if (!check(data[name])) return null;
    message[name] = data[name];
  }
  return message as Message<Shapes>;
}

export function writeMessage<Known extends { t: PropertyKey }>(message: Known): Known & { v: number } {
  return { v: PROTOCOL_VERSION, ...message };
}

/** A port that numbers its messages and accepts each well-formed message once and in order. */
export function openChannel<In extends Record<string, Shape>, Out extends { t: PropertyKey }>(
  port: MessagePort,
  incoming: In,
  receive: (message: Message<In>) => void,
): { send(message: Out): void; close(): void } {
  let sent = 0;
  let received = 0;
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(incoming, data);
    const sequence = isRecord(data) ? data.n : undefined;
    if (!message || typeof sequence !== 'number' || sequence <= received) return;
    received = sequence;
    receive(message);
  };
  return {
    send: (message) => port.postMessage({ ...writeMessage(message), n: ++sent }),
    close: () => port.close(),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
