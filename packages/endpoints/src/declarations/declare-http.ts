import type { JsonSchema } from '../json-schema.ts'

/** Arguments of a request in one place: an example, and the schema of all. */
export type DeclaredArguments = {
  readonly values: Readonly<Record<string, unknown>>
  readonly schema: JsonSchema
}

/** An HTTP resource as the extension `bazaar` declares it. */
export type HttpDeclaration = {
  readonly info: { readonly input: Readonly<Record<string, unknown>>; readonly output: unknown }
  readonly schema: JsonSchema
}

/**
 * Declares an HTTP resource (x402 specs/extensions/bazaar.md, "Discovery Info"), in the members and the order of
 * `declareDiscoveryExtension` of `@x402/extensions` 2.27.0, whose method is known.
 */
export function declareHttp({
  method,
  bodyType,
  input,
  path,
  output,
}: {
  readonly method: string
  /** Absent: the arguments are in the query. */
  readonly bodyType?: 'json' | 'form-data'
  readonly input: DeclaredArguments
  /** Absent: the path has no parameters. */
  readonly path?: DeclaredArguments
  /** An example with its type, or only a type. */
  readonly output: { readonly type: string; readonly example?: Readonly<Record<string, unknown>> }
}): HttpDeclaration {
  const values = bodyType ? { bodyType, body: input.values } : { queryParams: input.values }
  return {
    info: {
      input: { type: 'http', ...values, ...(path && { pathParams: path.values }), method },
      output,
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: [method] },
            ...(bodyType
              ? { bodyType: BODY_TYPE, body: input.schema }
              : { queryParams: { type: 'object', ...input.schema } }),
            ...(path && { pathParams: { type: 'object', ...path.schema } }),
          },
          required: bodyType ? ['type', 'method', 'bodyType', 'body'] : ['type', 'method'],
          additionalProperties: false,
        },
        output: {
          type: 'object',
          properties: { type: { type: 'string' }, example: { type: 'object' } },
          required: ['type'],
        },
      },
      required: ['input'],
    },
  }
}

const BODY_TYPE = { type: 'string', enum: ['json', 'form-data', 'text'] } as const
