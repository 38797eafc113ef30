import { GET as respondWithReadiness } from '../../readyz/route.api';

/** An older name of the same check. */
export const GET = respondWithReadiness;
