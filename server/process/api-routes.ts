import * as keySet from '../../app/.well-known/jwks.json/route.api';
import * as oauthServer from '../../app/.well-known/oauth-authorization-server/route.api';
import * as protectedResource from '../../app/.well-known/oauth-protected-resource/mcp/route.api';
import * as health from '../../app/api/health/route.api';
import * as token from '../../app/auth/token/route.api';
import * as livez from '../../app/livez/route.api';
import * as mcp from '../../app/mcp/route.api';
import * as metrics from '../../app/metrics/route.api';
import * as oauthDevice from '../../app/oauth/device/route.api';
import * as oauthRevoke from '../../app/oauth/revoke/route.api';
import * as oauthToken from '../../app/oauth/token/route.api';
import * as readyz from '../../app/readyz/route.api';
import * as speech from '../../app/v1/audio/speech/route.api';
import * as transcriptions from '../../app/v1/audio/transcriptions/route.api';
import * as translations from '../../app/v1/audio/translations/route.api';
import * as sendCode from '../../app/v1/auth/send-code/route.api';
import * as verifyCode from '../../app/v1/auth/verify-code/route.api';
import * as batchCancel from '../../app/v1/batches/[id]/cancel/route.api';
import * as batch from '../../app/v1/batches/[id]/route.api';
import * as batches from '../../app/v1/batches/route.api';
import * as completions from '../../app/v1/chat/completions/route.api';
import * as balance from '../../app/v1/credits/balance/route.api';
import * as checkoutSession from '../../app/v1/credits/checkout/[id]/route.api';
import * as checkout from '../../app/v1/credits/checkout/route.api';
import * as history from '../../app/v1/credits/history/route.api';
import * as pricing from '../../app/v1/credits/pricing/route.api';
import * as quote from '../../app/v1/credits/quote/route.api';
import * as receipt from '../../app/v1/credits/receipts/[id]/route.api';
import * as run from '../../app/v1/credits/runs/[id]/route.api';
import * as statementDay from '../../app/v1/credits/statements/[day]/route.api';
import * as statements from '../../app/v1/credits/statements/route.api';
import * as embeddings from '../../app/v1/embeddings/route.api';
import * as events from '../../app/v1/events/route.api';
import * as fileContent from '../../app/v1/files/[id]/content/route.api';
import * as file from '../../app/v1/files/[id]/route.api';
import * as files from '../../app/v1/files/route.api';
import * as imageEdits from '../../app/v1/images/edits/route.api';
import * as images from '../../app/v1/images/generations/route.api';
import * as userKey from '../../app/v1/keys/[id]/route.api';
import * as revokeKey from '../../app/v1/keys/revoke/route.api';
import * as userKeys from '../../app/v1/keys/route.api';
import * as messageBatchCancel from '../../app/v1/messages/batches/[id]/cancel/route.api';
import * as messageBatchResults from '../../app/v1/messages/batches/[id]/results/route.api';
import * as messageBatch from '../../app/v1/messages/batches/[id]/route.api';
import * as messageBatches from '../../app/v1/messages/batches/route.api';
import * as countTokens from '../../app/v1/messages/count_tokens/route.api';
import * as messages from '../../app/v1/messages/route.api';
import * as model from '../../app/v1/models/[...id]/route.api';
import * as models from '../../app/v1/models/route.api';
import * as moderations from '../../app/v1/moderations/route.api';
import * as ocr from '../../app/v1/ocr/route.api';
import * as openapi from '../../app/v1/openapi.json/route.api';
import * as rerank from '../../app/v1/rerank/route.api';
import * as inputItems from '../../app/v1/responses/[id]/input_items/route.api';
import * as keptResponse from '../../app/v1/responses/[id]/route.api';
import * as inputTokens from '../../app/v1/responses/input_tokens/route.api';
import * as responses from '../../app/v1/responses/route.api';
import * as secretScanning from '../../app/v1/secret-scanning/route.api';
import * as videoContent from '../../app/v1/videos/[id]/content/route.api';
import * as video from '../../app/v1/videos/[id]/route.api';
import * as videos from '../../app/v1/videos/route.api';

/**
 * The API's route files and their paths. They use Next's notation, `[id]` for one segment and
 * `[...id]` for the rest, so that a test can compare the list with the folders.
 */
export const API_ROUTES: Record<string, object> = {
  '/.well-known/jwks.json': keySet,
  '/.well-known/oauth-authorization-server': oauthServer,
  '/.well-known/oauth-protected-resource/mcp': protectedResource,
  '/api/health': health,
  '/auth/token': token,
  '/livez': livez,
  '/mcp': mcp,
  '/metrics': metrics,
  '/oauth/device': oauthDevice,
  '/oauth/revoke': oauthRevoke,
  '/oauth/token': oauthToken,
  '/readyz': readyz,
  '/v1/audio/speech': speech,
  '/v1/audio/transcriptions': transcriptions,
  '/v1/audio/translations': translations,
  '/v1/auth/send-code': sendCode,
  '/v1/auth/verify-code': verifyCode,
  '/v1/chat/completions': completions,
  '/v1/credits/balance': balance,
  '/v1/credits/checkout': checkout,
  '/v1/credits/checkout/[id]': checkoutSession,
  '/v1/credits/history': history,
  '/v1/credits/pricing': pricing,
  '/v1/credits/quote': quote,
  '/v1/credits/receipts/[id]': receipt,
  '/v1/credits/runs/[id]': run,
  '/v1/credits/statements': statements,
  '/v1/credits/statements/[day]': statementDay,
  '/v1/events': events,
  '/v1/keys': userKeys,
  '/v1/keys/revoke': revokeKey,
  '/v1/keys/[id]': userKey,
  '/v1/models': models,
  '/v1/messages': messages,
  '/v1/messages/count_tokens': countTokens,
  '/v1/openapi.json': openapi,
  '/v1/responses': responses,
  '/v1/embeddings': embeddings,
  '/v1/moderations': moderations,
  '/v1/ocr': ocr,
  '/v1/rerank': rerank,
  '/v1/images/edits': imageEdits,
  '/v1/images/generations': images,
  '/v1/responses/input_tokens': inputTokens,
  '/v1/responses/[id]': keptResponse,
  '/v1/responses/[id]/input_items': inputItems,
  '/v1/secret-scanning': secretScanning,
  '/v1/batches': batches,
  '/v1/batches/[id]': batch,
  '/v1/batches/[id]/cancel': batchCancel,
  '/v1/files': files,
  '/v1/files/[id]': file,
  '/v1/files/[id]/content': fileContent,
  '/v1/messages/batches': messageBatches,
  '/v1/messages/batches/[id]': messageBatch,
  '/v1/messages/batches/[id]/cancel': messageBatchCancel,
  '/v1/messages/batches/[id]/results': messageBatchResults,
  '/v1/videos': videos,
  '/v1/videos/[id]': video,
  '/v1/videos/[id]/content': videoContent,
  '/v1/models/[...id]': model,
};
