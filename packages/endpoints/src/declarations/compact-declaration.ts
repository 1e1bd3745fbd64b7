import type { DiscoveryDeclaration } from '@tollbook/gate/contract/offered-route'
import type { JsonSchema } from '../json-schema.ts'

/** Max length of an example's text that a shortened declaration shows in full. */
const MAX_TEXT_LENGTH = 40

/** Where a declaration has arguments: in its example, and in its schema. */
const PLACES = ['queryParams', 'body', 'pathParams'] as const

/**
 * A declaration for a header: the example input without long texts, and of the schema the names and types of the
 * arguments, or the names of the required ones. It satisfies the rules of specs/extensions/bazaar.md.
 */
export function toCompactDeclaration(
  { routeTemplate, info, schema }: DiscoveryDeclaration,
  shows: 'types' | 'required',
): DiscoveryDeclaration {
  const { type, method, bodyType, ...given } = shorten(info.input) as Record<string, unknown>
  const declared = propertiesOf(propertiesOf(schema).input ?? {})
  const places = PLACES.filter((place) => (place === 'body' ? 'body' in given : place in declared))
  const outlines = places.map((place) => [place, outline(declared[place] ?? {}, shows)])
  const constants = { type, method, ...(bodyType !== undefined && { bodyType }) }
  const output = { type: (info.output as { readonly type?: string } | undefined)?.type ?? 'json' }
  return {
    ...(routeTemplate !== undefined && { routeTemplate }),
    info: {
      input: { ...constants, ...Object.fromEntries(places.map((place) => [place, given[place]])) },
      output,
    },
    schema: {
      $schema: schema.$schema,
      type: 'object',
      properties: {
        input: {
          properties: {
            type: { const: type },
            method: { enum: [method] },
            ...(bodyType !== undefined && { bodyType: { enum: [bodyType] } }),
            ...Object.fromEntries(outlines),
          },
          required: [...Object.keys(constants), ...(places.includes('body') ? ['body'] : [])],
        },
        output: { properties: { example: {} } },
      },
      required: ['input'],
    },
  }
}

/** Cuts long texts, and lists to their first item: the structure remains visible. */
export function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item)]))
}

function outline(schema: JsonSchema, shows: 'types' | 'required'): JsonSchema {
  const { required } = schema
  const types = Object.entries(propertiesOf(schema)).map(([name, argument]) => [name, toType(argument)])
  return {
    ...toType(schema),
    ...(shows === 'types' && types.length > 0 && { properties: Object.fromEntries(types) }),
    ...(Array.isArray(required) && required.length > 0 && { required }),
  }
}

/** A schema of only the type, or of the types of its alternatives; empty if one of them has none. */
export function toType({ type, anyOf }: JsonSchema): JsonSchema {
  const types = Array.isArray(anyOf) ? anyOf.map((one: JsonSchema) => one.type) : [type]
  if (types.includes(undefined)) return {}
  const all = [...new Set(types.flat())]
  return { type: all.length > 1 ? all : all[0] }
}

function propertiesOf({ properties }: JsonSchema): Record<string, JsonSchema> {
  return (properties ?? {}) as Record<string, JsonSchema>
}
