import * as z from 'zod'
import type { Endpoint } from './endpoint.ts'

/** A JSON Schema 2020-12 document or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What a caller sends, before defaults and conversions. */
export function buildInputSchema(endpoint: Endpoint): JsonSchema {
  return toJsonSchema(endpoint.input, 'input')
}

/** What a caller gets. */
export function buildOutputSchema(endpoint: Endpoint): JsonSchema {
  return toJsonSchema(endpoint.output, 'output')
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { '~standard': _, ...document } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // z.int() bounds itself by the safe integers, which tells a reader nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // An upload states its encoding by the multipart part that it is.
      if (jsonSchema.format === 'binary') delete jsonSchema.contentEncoding
    },
  })
  return document
}
