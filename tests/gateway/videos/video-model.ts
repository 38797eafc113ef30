export const GROK = 'xai/grok-imagine-video';
