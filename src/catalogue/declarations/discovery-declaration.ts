import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { isRecord } from '../../flow/is-record.ts'
import type { DiscoveryDeclaration } from '../../payments/contract/offered-route.ts'
import { pathParametersOf } from '../call-parts.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildInputSchema, buildOutputSchema, type JsonSchema } from '../json-schema.ts'
import { shorten, toCompactDeclaration, toType } from './compact-declaration.ts'

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
  // The catalogues accept an example only as a JSON object.
  const declared = declareDiscoveryExtension({
    ...(takesBody(endpoint) ? toBody(others) : { input: others.values, inputSchema: others.schema }),
    ...(names.length > 0 && { pathParams: path.values, pathParamsSchema: path.schema }),
    // Without an example the package would leave out the schema of the output.
    output: { example: isRecord(example) ? example : {} },
    ...(takesBody(endpoint) && { bodyType: endpoint.accepts === 'multipart' ? 'form-data' : 'json' }),
  }).bazaar as unknown as Declared
  return {
    ...(names.length > 0 && { routeTemplate: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    ...withMethod(isRecord(example) ? declared : withoutExample(declared, endpoint), endpoint.method),
  }
}

type Declared = {
  readonly info: DiscoveryDeclaration['info']
  readonly schema: JsonSchema & {
    readonly properties: { readonly input: JsonSchema & { readonly properties: JsonSchema } }
  }
}

/** What kind of output it is, where no example of it fits. */
function withoutExample({ info, schema }: Declared, endpoint: Endpoint): Declared {
  const { contentMediaType = 'application/json' } = buildOutputSchema(endpoint)
  const [kind] = String(contentMediaType).split('/')
  const type = contentMediaType === 'application/json' ? 'json' : kind === 'text' ? 'text' : 'binary'
  return { info: { ...info, output: { type } }, schema }
}

/** The package leaves the method to its own server; ours is known in advance. */
function withMethod({ info, schema }: Declared, method: string): Omit<DiscoveryDeclaration, 'routeTemplate'> {
  const { input } = schema.properties
  return {
    info: { ...info, input: { ...info.input, method } },
    schema: {
      ...schema,
      properties: {
        ...schema.properties,
        input: { ...input, properties: { ...input.properties, method: { type: 'string', enum: [method] } } },
      },
    },
  }
}

function takesBody(endpoint: Endpoint): boolean {
  return endpoint.method !== 'GET' && endpoint.method !== 'DELETE'
}

/** A file, where the declaration has a query or a JSON body. */
function isUpload({ accepts }: Endpoint, name: string): boolean {
  return accepts === 'either' && name === 'file'
}

type Fields = { readonly schema: JsonSchema; readonly values: Record<string, unknown> }

/** A subset of an object's fields, in its schema and in its example. */
function splitFields(schema: JsonSchema, example: object, takes: (name: string) => boolean): Fields {
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
function toBody({ schema, values }: Fields): { input: Record<string, unknown>; inputSchema: JsonSchema } {
  const whole = ((schema.properties ?? {}) as Record<string, JsonSchema>).body
  if (!whole) return { input: values, inputSchema: schema }
  return { input: values.body as Record<string, unknown>, inputSchema: whole }
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
