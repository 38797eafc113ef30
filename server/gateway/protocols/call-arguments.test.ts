import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findGrowth } from '../../../tests/harness/growth';
import { CallArguments } from './call-arguments';

const read = (pieces: readonly string[], options = {}): string => {
  const call = new CallArguments(options);
  return pieces.map((piece) => call.add(piece)).join('') + call.end();
};
const split = (text: string, at: readonly number[]): string[] => {
  const places = [0, ...at.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, place) => text.slice(places[place], end));
};
const splits = fc.array(fc.nat(), { maxLength: 8 });

test('valid arguments arrive as they are, in whatever pieces', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.nat({ max: 2 }),
      splits,
      (input, space, at) => {
        const json = JSON.stringify(input, null, space);
        expect(read(split(json, at))).toBe(json);
        expect(read(split(json, at), { isStrict: true })).toBe(json);
      },
    ),
    { seed: 7 },
  );
});

test('arguments that are no JSON become an object with the text, for readers that parse them on the way', () => {
  const almost = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.constantFrom(...`'"\n{}[]:,x0\\`))
      .map(([input, at, odd]) => {
        const json = JSON.stringify(input);
        const place = at % json.length;
        return json.slice(0, place) + odd + json.slice(place + (at % 2));
      }),
  );
  fc.assert(
    fc.property(almost, splits, (text, at) => {
      const call = new CallArguments({ isStrict: true });
      const out =
        split(text, at)
          .map((piece) => call.add(piece))
          .join('') + call.end();
      // Cut arguments stay cut.
      if (out === '' || !isPrefix(out)) expect(typeof JSON.parse(out || '{}')).toBe('object');
    }),
    { numRuns: 1_000, seed: 7 },
  );
});

/** Whether some JSON object begins so. */
function isPrefix(text: string): boolean {
  const call = new CallArguments({ isStrict: true });
  return call.add(text) + call.end() !== text ? false : !call.isComplete;
}

describe('placeholders and repetitions', () => {
  test.each([
    [['{}', '{"x":1}'], '{"x":1}'],
    [['{}', '{"x":', '1}'], '{"x":1}'],
    [['{', '}', '{"x":1}'], '{"x":1}'],
    [['{}', '{}'], '{}'],
    [['{}'], '{}'],
    [['{}', ''], '{}'],
    [['{}', '{}', '{"x":1}'], '{"x":1}'],
    [['null', '{"x":1}'], '{"x":1}'],
    [['""', '{"x":1}'], '{"x":1}'],
    [['null'], ''],
    [['', ''], ''],
    [['{}{"x":1}'], '{"x":1}'],
    [['{"x":1}', '{"x":1}'], '{"x":1}'],
    [['{"x":1}{"y":2}'], '{"x":1}'],
    [['{"x":1}}'], '{"x":1}'],
    [['[1,2]'], '[1,2]'],
    [['"str', '"'], '"str"'],
    [['{"x":tr'], '{"x":tr'],
    [["{'x':1}"], "{'x':1}"],
  ])('%j is %s', (pieces, expected) => {
    expect(read(pieces)).toBe(expected);
  });

  test.each([
    [["{'x':1}"], { _unparsed: "{'x':1}" }],
    [['abc'], { _unparsed: 'abc' }],
    [['[1,2]'], { value: [1, 2] }],
    [['{"x":NaN}'], { x: null, _unparsed: '{"x":NaN}' }],
    [['{"x":[1,', ' {"y":"a\n"}]}'], { x: [1, { y: 'a' }], _unparsed: '{"x":[1, {"y":"a\n"}]}' }],
  ])('%j is completed as %j', (pieces, expected) => {
    expect(JSON.parse(read(pieces, { isStrict: true }))).toEqual(expected);
  });
});

test.each(['{', '[', '"', ' ', '0', '\\', '{}'])(
  'arguments of %s are read in linear time @attack',
  (piece) => {
    const readPieces = (count: number) => () => {
      const call = new CallArguments({ isStrict: true });
      call.add('{"a":');
      for (let n = 0; n < count; n++) call.add(piece);
      call.end();
    };
    expect(findGrowth(readPieces, 50_000)).toBeNull();
  },
);
