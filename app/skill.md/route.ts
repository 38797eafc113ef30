import { readSkill } from '@/server/api/docs/guides';
import { markdownResponse } from '../_ui/markdown-response';

export const dynamic = 'force-dynamic';

/** Takes a coding agent through an integration. */
export const GET = (): Response => markdownResponse(readSkill());
