import type { z } from 'zod';
import type { Partner } from '../../partners/partner';
import { requirePartnerBackend } from '../../partners/partner-backend';
import { type Caller, requireUserKey } from '../../people/access/authenticate';

/** A tool of the MCP server. It calls the function of the endpoint with the same result. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** Whether it changes nothing. */
  isReadOnly: boolean;
  /** Fails with 401 unless the request has the credential that the tool needs. */
  authorise: (request: Request) => Promise<Run>;
};

/** Takes the validated input. A text is returned as it is, everything else as JSON. */
export type Run = (input: never) => Promise<unknown>;

type Described<Input extends z.ZodObject, Given> = Pick<Tool, 'name' | 'title' | 'description'> & {
  input: Input;
  isReadOnly?: boolean;
  run: (input: z.output<Input>, given: Given) => Promise<unknown>;
};

/** For everyone. */
export const openTool = <Input extends z.ZodObject>(described: Described<Input, null>): Tool =>
  toTool(described, async () => null);

/** For the user of a user key. */
export const userTool = <Input extends z.ZodObject>(
  described: Described<Input, { caller: Caller; request: Request }>,
): Tool => toTool(described, async (request) => ({ caller: await requireUserKey(request), request }));

/** For the backend of an app, with its signing secret. */
export const partnerTool = <Input extends z.ZodObject>(described: Described<Input, Partner>): Tool =>
  toTool(described, requirePartnerBackend);

function toTool<Input extends z.ZodObject, Given>(
  { isReadOnly = true, run, ...rest }: Described<Input, Given>,
  find: (request: Request) => Promise<Given>,
): Tool {
  const authorise = async (request: Request) => {
    const given = await find(request);
    return (input: z.output<Input>) => run(input, given);
  };
  return { ...rest, isReadOnly, authorise };
}
