import fc, { type Arbitrary } from 'fast-check'
import { drawFiles } from './draw-files.ts'

/** The part of JSON Schema that the inputs of endpoints use. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
}

/** Larger ones take time and test nothing new; `mutate` draws what exceeds a limit. */
const MAX_ITEMS = 4
const MAX_CHARACTERS = 120

/** Values that a schema allows. They may still violate formats and refinements. */
export function fromSchema(schema: Schema): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  // Next to properties, alternatives only state which of several names is present: see `findAlternatives`.
  if (schema.properties) return fromObject(schema)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(fromSchema))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(fromSchema)).map((parts) => Object.assign({}, ...parts))
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 })
  return fc.oneof(...types.map((type) => fromType(type, schema)))
}

/** Names of which exactly one is present, such as those of a parameter that has several. */
export function findAlternatives({ oneOf, allOf = [] }: Schema): readonly (readonly string[])[] {
  const names = (oneOf ?? []).flatMap(({ required = [] }) => required)
  return [...(names.length > 0 ? [names] : []), ...allOf.flatMap(findAlternatives)]
}

function fromType(type: string, schema: Schema): Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return schema.format === 'binary' ? drawFiles() : fromText(schema)
    case 'integer':
      return fc.integer(boundsOf(schema, -1_000_000, 1_000_000))
    case 'number': {
      const { min, max } = boundsOf(schema, -1e6, 1e6)
      return fc.oneof(
        fc.integer({ min: Math.ceil(min), max: Math.floor(max) }),
        fc.double({ min, max, noNaN: true }),
      )
    }
    case 'boolean':
      return fc.boolean()
    case 'array': {
      const items = schema.prefixItems
        ? fc.tuple(...schema.prefixItems.map(fromSchema))
        : fc.array(fromSchema(schema.items ?? {}), {
            minLength: schema.minItems ?? 0,
            maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS)),
          })
      return items
    }
    case 'object':
      return fromObject(schema)
    default:
      return fc.constant(null)
  }
}

function fromText({ pattern, minLength = 0, maxLength = MAX_CHARACTERS }: Schema): Arbitrary<string> {
  const longest = Math.max(minLength, Math.min(maxLength, MAX_CHARACTERS))
  const any = fc.oneof(
    fc.string({ minLength, maxLength: longest }),
    fc.string({ minLength, maxLength: longest, unit: 'grapheme' }),
  )
  if (pattern === undefined) return any
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    // A pattern with features that the generator does not support, such as look-behind.
    return any
  }
}

function fromObject({ properties = {}, required = [], additionalProperties }: Schema): Arbitrary<unknown> {
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fromSchema(schema)])),
    { requiredKeys: required.filter((name) => name in properties) },
  )
  if (typeof additionalProperties !== 'object') return known
  const others = fc.dictionary(fc.string({ maxLength: 12 }), fromSchema(additionalProperties), { maxKeys: 3 })
  return fc.tuple(known, others).map(([own, more]) => ({ ...more, ...own }))
}

function boundsOf(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema,
  least: number,
  most: number,
) {
  const min = Math.max(minimum ?? exclusiveMinimum ?? least, -Number.MAX_SAFE_INTEGER)
  const max = Math.min(maximum ?? exclusiveMaximum ?? Math.max(most, min), Number.MAX_SAFE_INTEGER)
  return { min, max: Math.max(min, max) }
}
