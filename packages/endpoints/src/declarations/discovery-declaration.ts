import { isRecord } from '@tollbook/flow/is-record'
import type { DiscoveryDeclaration } from '@tollbook/gate/contract/offered-route'
import { pathParametersOf } from '../call-parts.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildInputSchema, buildOutputSchema, type JsonSchema } from '../json-schema.ts'
import { shorten, toCompactDeclaration, toType } from './compact-declaration.ts'
import { type DeclaredArguments, declareHttp } from './declare-http.ts'

/** The declarations of an endpoint from the fullest to the shortest; all are valid. */
export function* buildDiscoveryVariants(endpoint: Endpoint): Generator<DiscoveryDeclaration> {
  const schema = buildInputSchema(endpoint)
  const example = toPlainJson(endpoint.example.output)
  const bareSchema = withoutWords(schema) as JsonSchema
  yield buildDeclaration(endpoint, schema, example)
  yield buildDeclaration(endpoint, schema, shorten(example))
  yield buildDeclaration(endpoint, schema, undefined)
  yield buildDeclaration(endpoint, bareSchema, undefined)
  const outlined = buildDeclaration(endpoint, toOutline(bareSchema), undefined)
  yield outlined
  yield toCompactDeclaration(outlined, 'types')
  yield toCompactDeclaration(outlined, 'required')
}

function buildDeclaration(endpoint: Endpoint, input: JsonSchema, example: unknown): DiscoveryDeclaration {
  const { $schema: _, ...rules } = input
  const names = pathParametersOf(endpoint)
  const provided = toPlainJson(endpoint.example.input) as Record<string, unknown>
  const path = splitFields(rules, provided, (name) => names.includes(name))
  const others = splitFields(rules, provided, (name) => !names.includes(name) && !isUpload(endpoint, name))
  const hasPath = names.length > 0
  return {
    ...(hasPath && { routeTemplate: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    ...declareHttp({
      method: endpoint.method,
      ...(takesBody(endpoint) && { bodyType: endpoint.accepts === 'multipart' ? 'form-data' : 'json' }),
      input: takesBody(endpoint) ? toBody(others) : others,
      ...(hasPath && { path }),
      // The catalogues accept an example only as a JSON object.
      output: isRecord(example) ? { type: 'json', example } : { type: outputTypeOf(endpoint) },
    }),
  }
}

/** What kind of output it is, where no example of it fits. */
function outputTypeOf(endpoint: Endpoint): string {
  const { contentMediaType = 'application/json' } = buildOutputSchema(endpoint)
  if (contentMediaType === 'application/json') return 'json'
  return String(contentMediaType).startsWith('text/') ? 'text' : 'binary'
}

function takesBody(endpoint: Endpoint): boolean {
  return endpoint.method !== 'GET' && endpoint.method !== 'DELETE'
}

/** A file, where the declaration has a query or a JSON body. */
function isUpload({ accepts }: Endpoint, name: string): boolean {
  return accepts === 'either' && name === 'file'
}

/** A subset of an object's fields, in its schema and in its example. */
function splitFields(
  schema: JsonSchema,
  example: object,
  takes: (name: string) => boolean,
): DeclaredArguments {
  const taken = (object: object) => Object.fromEntries(Object.entries(object).filter(([name]) => takes(name)))
  const required = ((schema.required ?? []) as string[]).filter(takes)
  return {
    schema: {
      ...schema,
      type: 'object',
      properties: taken((schema.properties ?? {}) as object),
      ...(schema.required !== undefined && { required }),
    },
    values: taken(example),
  }
}

/** The body that contains the fields; a field named `body` is the whole body. */
function toBody({ schema, values }: DeclaredArguments): DeclaredArguments {
  const whole = ((schema.properties ?? {}) as Record<string, JsonSchema>).body
  if (!whole) return { schema, values }
  return { schema: whole, values: (values.body ?? {}) as Record<string, unknown> }
}

/** An example as it is transmitted: files and dates in the form that JSON gives them. */
function toPlainJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (item instanceof Blob ? '(file)' : item)) ?? 'null',
  )
}

/** A schema without descriptions, but with a property of that name. */
function withoutWords(schema: unknown, isProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withoutWords(item))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => isProperties || !['description', 'title', 'examples'].includes(name))
      .map(([name, item]) => [name, withoutWords(item, !isProperties && name === 'properties')]),
  )
}

/** A schema in which optional fields have only a type, if it is a single one. */
function toOutline(schema: JsonSchema): JsonSchema {
  const required = (schema.required ?? []) as readonly string[]
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, field]) => [name, required.includes(name) ? field : toType(field)],
  )
  return { ...schema, properties: Object.fromEntries(properties) }
}
