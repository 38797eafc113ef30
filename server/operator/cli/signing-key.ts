import { listSigningKeys, rotateSigningKey } from '../../reports/statements/signing-keys';
import type { Command, Outcome } from './command';
import { alignColumns } from './output';

export const signingKeyCommands: Readonly<Record<string, Command>> = {
  'signing-key list': {
    usage: 'signing-key list',
    summary: 'list the keys that sign receipts and daily statements',
    needs: 'schema',
    run: list,
  },
  'signing-key rotate': {
    usage: 'signing-key rotate',
    summary: 'sign with a new key from now on; the public half of the old one stays published',
    needs: 'schema',
    run: rotate,
  },
};

async function list(): Promise<Outcome> {
  const keys = await listSigningKeys();
  return {
    json: keys.map(({ id, createdAt, retiredAt }) => ({
      kid: id,
      created_at: createdAt.toISOString(),
      retired_at: retiredAt?.toISOString() ?? null,
    })),
    text:
      keys.length === 0
        ? 'No signing key yet. The service generates one when it first signs.'
        : alignColumns(
            keys.map(({ id, createdAt, retiredAt }) => [
              id,
              `since ${createdAt.toISOString()}`,
              retiredAt === null ? 'current' : `retired ${retiredAt.toISOString()}`,
            ]),
          ),
  };
}

async function rotate(): Promise<Outcome> {
  const { id } = await rotateSigningKey();
  return { json: { kid: id }, text: `Receipts and statements are signed with ${id} from now on.` };
}
