import { ordinaryIdOf } from '../pricing/batch-models';
import { type CatalogModel, findCatalogModel, hasAudio } from '../pricing/catalog';
import { findTarget } from '../pricing/served';
import { claudeCapabilities } from '../providers/anthropic/claude-capabilities';
import { imageParameters } from '../providers/images';
import { OCR_PARAMETERS } from '../providers/ocr';
import { chatCapabilities } from '../providers/openai/chat-capabilities';
import { profileOf } from '../providers/profiles';
import { rerankParameters } from '../providers/rerank';
import { SPEECH_FIELDS } from '../providers/speech';
import { transcriptionParameters } from '../providers/transcriptions';

/** The parameters of the chat format, or of the endpoint of the type, that reach a model, in the names of OpenRouter's list. */
export function supportedParameters(model: CatalogModel): string[] {
  const { type, provider, upstreamModel, capabilities, prices } = model;
  // Of a batch, its lines have those of the model.
  const ordinary = type === 'batch' ? findCatalogModel(ordinaryIdOf(model.id)) : null;
  if (ordinary !== null) return supportedParameters(ordinary).filter((name) => name !== 'web_search_options');
  if (type === 'embedding') return ['dimensions', 'encoding_format'];
  const { format } = findTarget(provider) ?? { format: 'openai' as const };
  const profile = profileOf(provider, format);
  if (type === 'image') return imageParameters(profile);
  if (type === 'video') return ['seconds', 'size', 'input_reference'];
  if (type === 'transcription') return [...transcriptionParameters(profile)];
  if (type === 'rerank') return rerankParameters(profile);
  if (type === 'ocr') return [...OCR_PARAMETERS];
  if (type === 'speech') return [...SPEECH_FIELDS];
  if (type !== 'language') return [];
  const { json, reasoning, tools } = capabilities;
  const accepts =
    format === 'anthropic'
      ? ofClaude(upstreamModel)
      : ofChat(chatCapabilities(profile, upstreamModel, { reasoning }), profile.takesTopK);
  return [
    'max_tokens',
    'max_completion_tokens',
    ...accepts,
    ...(tools
      ? ['tools', 'tool_choice', ...(profile.takesParallelToolCalls ? ['parallel_tool_calls'] : [])]
      : []),
    ...(json ? ['response_format', ...(profile.takesJsonSchema ? ['structured_outputs'] : [])] : []),
    ...(reasoning ? ['reasoning', 'reasoning_effort'] : []),
    ...(hasAudio(model) ? ['modalities', 'audio'] : []),
    ...(prices.webSearch !== undefined && profile.webSearch !== null ? ['web_search_options'] : []),
  ];
}

function ofClaude(upstreamModel: string): string[] {
  return [...(claudeCapabilities(upstreamModel).sampling ? ['temperature', 'top_p', 'top_k'] : []), 'stop'];
}

function ofChat({ sampling, stop }: ReturnType<typeof chatCapabilities>, takesTopK: boolean): string[] {
  const penalties = ['frequency_penalty', 'presence_penalty', 'logprobs', 'top_logprobs', 'logit_bias'];
  return [
    ...(sampling === 'no' ? [] : ['temperature', 'top_p', ...penalties]),
    ...(takesTopK ? ['top_k'] : []),
    ...(stop ? ['stop'] : []),
    'seed',
  ];
}
