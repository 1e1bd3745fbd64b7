import * as z from 'zod'
import type { Endpoint } from './endpoint.ts'

/** A JSON Schema 2020-12 document or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The caller's input, before defaults and conversions. */
export function buildInputSchema(endpoint: Endpoint): JsonSchema {
  return toJsonSchema(endpoint.input, 'input')
}

export function buildOutputSchema(endpoint: Endpoint): JsonSchema {
  return toJsonSchema(endpoint.output, 'output')
}

/** The media type of an answer: JSON, unless the output's schema names another. */
export function answerTypeOf(endpoint: Endpoint): string {
  const { contentMediaType } = buildOutputSchema(endpoint)
  return typeof contentMediaType === 'string' ? contentMediaType : 'application/json'
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { '~standard': _, ...document } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // z.int() adds the safe integers as bounds, which are of no use to a reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // Names are strings in any case.
      if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames
      if (isFormatEnough(jsonSchema.format, io)) delete jsonSchema.pattern
      // The multipart part of an upload states its encoding.
      if (jsonSchema.format === 'binary') delete jsonSchema.contentEncoding
    },
  })
  return document
}

/**
 * Whether the format of a text says the same as its pattern, which has hundreds of characters. A time that is read must
 * end with Z, which only the pattern says.
 */
function isFormatEnough(format: string | undefined, io: 'input' | 'output'): boolean {
  return format === 'date' || format === 'base64' || (format === 'date-time' && io === 'output')
}
