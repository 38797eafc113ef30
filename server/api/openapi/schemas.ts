import { z } from 'zod';
import { chatErrorSchema, messagesErrorSchema, oauthErrorSchema } from '../../base/http/error-bodies';
import {
  batchListSchema,
  batchRequestSchema,
  batchSchema,
  deletedFileSchema,
  deletedMessageBatchSchema,
  fileListSchema,
  fileSchema,
  fileUploadSchema,
  messageBatchListSchema,
  messageBatchRequestSchema,
  messageBatchSchema,
} from '../../gateway/protocols/batches/schema';
import { chatChunkSchema, chatCompletionSchema } from '../../gateway/protocols/chat/response-schema';
import { chatRequestSchema } from '../../gateway/protocols/chat/schema';
import { embeddingListSchema } from '../../gateway/protocols/embeddings/response-schema';
import { embeddingsRequestSchema } from '../../gateway/protocols/embeddings/schema';
import { imageListSchema } from '../../gateway/protocols/images/response-schema';
import { imageEditsRequestSchema, imagesRequestSchema } from '../../gateway/protocols/images/schema';
import {
  contentBlockSchema,
  contentDeltaSchema,
  messageDeltaSchema,
  messageEventSchema,
  messageSchema,
  toolInputSchema,
} from '../../gateway/protocols/messages/response-schema';
import { countTokensSchema, messagesRequestSchema } from '../../gateway/protocols/messages/schema';
import { moderationSchema } from '../../gateway/protocols/moderations/response-schema';
import { moderationsRequestSchema } from '../../gateway/protocols/moderations/schema';
import { ocrResultSchema } from '../../gateway/protocols/ocr/response-schema';
import { ocrRequestSchema } from '../../gateway/protocols/ocr/schema';
import { rerankResultsSchema } from '../../gateway/protocols/rerank/response-schema';
import { rerankRequestSchema } from '../../gateway/protocols/rerank/schema';
import { responseEventSchema, responseSchema } from '../../gateway/protocols/responses/response-schema';
import { responsesRequestSchema } from '../../gateway/protocols/responses/schema';
import { speechRequestSchema } from '../../gateway/protocols/speech/schema';
import { transcriptionSchema } from '../../gateway/protocols/transcriptions/response-schema';
import {
  transcriptionRequestSchema,
  translationRequestSchema,
} from '../../gateway/protocols/transcriptions/schema';
import {
  deletedVideoSchema,
  videoListSchema,
  videoSchema,
} from '../../gateway/protocols/videos/response-schema';
import { videosRequestSchema } from '../../gateway/protocols/videos/schema';
import { inputTokenCountSchema, tokenCountSchema } from '../../gateway/run/count-tokens';
import { quoteRequestSchema, quoteSchema } from '../../gateway/run/quote';
import { deletedResponseSchema, inputItemListSchema } from '../../gateway/run/stored-responses';
import { metadataSchema } from '../../people/metadata';
import { balanceSchema } from '../balance';
import { checkoutRequestSchema, checkoutStatusSchema, startedCheckoutSchema } from '../checkout';
import { eventPageSchema } from '../events';
import { historyPageSchema } from '../history';
import { leakReportsSchema, leakVerdictsSchema, revokedKeySchema } from '../keys';
import { listedModelSchema, modelListSchema } from '../models';
import {
  accessTokenSchema,
  deviceAuthorizationSchema,
  deviceRequestSchema,
  oauthTokenRequestSchema,
  resourceMetadataSchema,
  revocationResponseSchema,
  revocationSchema,
  serverMetadataSchema,
} from '../oauth';
import { priceEstimateSchema, pricingRequestSchema } from '../pricing';
import { receiptSchema } from '../receipt';
import { runKeyRequestSchema, runKeySchema, runSchema } from '../run-keys';
import {
  codeSentSchema,
  sendCodeSchema,
  signedInSchema,
  tokenRequestSchema,
  tokenResponseSchema,
  verifyCodeSchema,
} from '../sign-in';
import { keySetSchema, statementDaySchema, statementListSchema } from '../statements';
import type { JsonObject, JsonSchema } from './json';

/** The named schemas of the document and their conversion to JSON Schema. */

const REQUESTS = {
  ChatRequest: chatRequestSchema,
  MessagesRequest: messagesRequestSchema,
  ResponsesRequest: responsesRequestSchema,
  EmbeddingsRequest: embeddingsRequestSchema,
  ModerationsRequest: moderationsRequestSchema,
  RerankRequest: rerankRequestSchema,
  OcrRequest: ocrRequestSchema,
  ImagesRequest: imagesRequestSchema,
  ImageEditsRequest: imageEditsRequestSchema,
  SpeechRequest: speechRequestSchema,
  TranscriptionRequest: transcriptionRequestSchema,
  TranslationRequest: translationRequestSchema,
  VideosRequest: videosRequestSchema,
  BatchRequest: batchRequestSchema,
  MessageBatchRequest: messageBatchRequestSchema,
  FileUpload: fileUploadSchema,
  CountTokensRequest: countTokensSchema,
  QuoteRequest: quoteRequestSchema,
  PricingRequest: pricingRequestSchema,
  CheckoutRequest: checkoutRequestSchema,
  SendCodeRequest: sendCodeSchema,
  VerifyCodeRequest: verifyCodeSchema,
  TokenRequest: tokenRequestSchema,
  OauthTokenRequest: oauthTokenRequestSchema,
  DeviceRequest: deviceRequestSchema,
  RevocationRequest: revocationSchema,
  LeakReportRequest: leakReportsSchema,
  RunKeyRequest: runKeyRequestSchema,
  Metadata: metadataSchema,
};

const RESPONSES = {
  ChatCompletion: chatCompletionSchema,
  ChatCompletionChunk: chatChunkSchema,
  // Named, and before the schemas that refer to them: generators name the members of unions by their place.
  ToolInput: toolInputSchema,
  ContentBlock: contentBlockSchema,
  ContentDelta: contentDeltaSchema,
  MessageDelta: messageDeltaSchema,
  Message: messageSchema,
  MessageEvent: messageEventSchema,
  Response: responseSchema,
  EmbeddingList: embeddingListSchema,
  Moderation: moderationSchema,
  RerankResults: rerankResultsSchema,
  OcrResult: ocrResultSchema,
  ImageList: imageListSchema,
  Transcription: transcriptionSchema,
  Batch: batchSchema,
  BatchList: batchListSchema,
  MessageBatch: messageBatchSchema,
  MessageBatchList: messageBatchListSchema,
  DeletedMessageBatch: deletedMessageBatchSchema,
  File: fileSchema,
  FileList: fileListSchema,
  DeletedFile: deletedFileSchema,
  Video: videoSchema,
  VideoList: videoListSchema,
  DeletedVideo: deletedVideoSchema,
  ResponseEvent: responseEventSchema,
  TokenCount: tokenCountSchema,
  DeletedResponse: deletedResponseSchema,
  InputItemList: inputItemListSchema,
  InputTokenCount: inputTokenCountSchema,
  Model: listedModelSchema,
  ModelList: modelListSchema,
  PriceEstimate: priceEstimateSchema,
  Quote: quoteSchema,
  Balance: balanceSchema,
  HistoryPage: historyPageSchema,
  Receipt: receiptSchema,
  StatementList: statementListSchema,
  StatementDay: statementDaySchema,
  KeySet: keySetSchema,
  StartedCheckout: startedCheckoutSchema,
  CheckoutStatus: checkoutStatusSchema,
  CodeSent: codeSentSchema,
  SignedIn: signedInSchema,
  TokenResponse: tokenResponseSchema,
  AccessToken: accessTokenSchema,
  DeviceAuthorization: deviceAuthorizationSchema,
  Revocation: revocationResponseSchema,
  ResourceMetadata: resourceMetadataSchema,
  ServerMetadata: serverMetadataSchema,
  RevokedKey: revokedKeySchema,
  RunKey: runKeySchema,
  Run: runSchema,
  LeakVerdicts: leakVerdictsSchema,
  EventPage: eventPageSchema,
  Error: chatErrorSchema,
  MessagesError: messagesErrorSchema,
  OauthError: oauthErrorSchema,
  Document: z.looseObject({ openapi: z.string() }).meta({ description: 'An OpenAPI 3.1 document.' }),
};

export type RequestName = Exclude<keyof typeof REQUESTS, 'Metadata'>;
export type ResponseName = keyof typeof RESPONSES;

/** Every named schema. Requests are described as clients send them, responses as they receive them. */
export function namedSchemas(): Record<string, JsonSchema> {
  return { ...convertAll(REQUESTS, 'input'), ...convertAll(RESPONSES, 'output') };
}

/** One standalone schema, such as an event's. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return tidy(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

function convertAll(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    metadata: z.globalRegistry,
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(Object.entries(converted.schemas).map(([id, schema]) => [id, tidy(schema)]));
}

/**
 * Drops keywords that readers do not need (the dialect, which the document states once, and the bounds of a
 * double) and keywords that would prevent us from adding fields later.
 */
function tidy(value: unknown): JsonSchema {
  if (Array.isArray(value)) return value.map(tidy) as unknown as JsonSchema;
  if (typeof value !== 'object' || value === null) return value as JsonSchema;
  const entries = Object.entries(value as JsonObject).filter(
    ([key, inner]) =>
      key !== '$schema' &&
      key !== '$id' &&
      !(key === 'additionalProperties' && inner === false) &&
      // Repeats the pattern.
      !(key === 'format' && inner === 'starts_with') &&
      !(typeof inner === 'number' && Math.abs(inner) === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, tidy(inner)]));
}
