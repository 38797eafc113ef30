export type JsonObject = Record<string, unknown>;

/** The parts of JSON Schema that the pages read. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  deprecated?: boolean;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minLength?: number;
  minItems?: number;
  additionalProperties?: boolean | JsonSchema;
};

export const reference = (kind: 'schemas' | 'headers', name: string): { $ref: string } => ({
  $ref: `#/components/${kind}/${name}`,
});
