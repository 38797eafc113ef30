import { GET as respondWithReadiness } from '../../readyz/route';

/** An older name of the same check. */
export const GET = respondWithReadiness;
