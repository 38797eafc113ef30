import type { z } from 'zod';

/** Describes what is wrong with a field to API callers. A schema may provide its own message. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${listValues(issue.values)}`;
    case 'too_big':
      return `must ${issue.origin === 'string' ? 'have' : 'be'} at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return `must ${issue.origin === 'string' ? 'have' : 'be'} at least ${issue.minimum}${unitOf(issue.origin)}`;
    default:
      return undefined;
  }
}

const WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const listValues = (values: readonly unknown[]): string =>
  `${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`;

const unitOf = (origin: string): string => (origin === 'string' ? ' characters' : '');
