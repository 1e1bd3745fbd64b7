import * as z from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { buildInputSchema, type JsonSchema } from '../json-schema.ts'

type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null'

/** What reading a request needs to know about one field of an endpoint's input. */
export type InputField = {
  readonly name: string
  /** The types that its JSON Schema accepts; empty when it accepts anything. */
  readonly types: ReadonlySet<JsonType>
  /** The types that the items of a list accept; empty when anything, or when it is not a list. */
  readonly itemTypes: ReadonlySet<JsonType>
  readonly isFile: boolean
}

export type InputFields = {
  readonly byName: ReadonlyMap<string, InputField>
  /** Whether a name beyond the declared ones belongs to the input. */
  readonly takesMore: (name: string) => boolean
  /** Whether the whole JSON body is one field, named `body`. */
  readonly hasWholeBody: boolean
}

/** Derives from an endpoint's schema how its arguments are read from a request. */
export function describeInput(endpoint: Endpoint): InputFields {
  const schema = buildInputSchema(endpoint)
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const byName = new Map(
    Object.entries(properties).map(([name, property]) => [name, describeField(name, property)]),
  )
  const isLoose = isLooseObject(endpoint.input)
  return {
    byName,
    takesMore: (name) => isLoose || (endpoint.takesParameter?.(name) ?? false),
    hasWholeBody: byName.has('body'),
  }
}

function describeField(name: string, property: JsonSchema): InputField {
  const alternatives = alternativesOf(property)
  const types = new Set(alternatives.flatMap(typesOf))
  const itemTypes = new Set(
    alternatives.flatMap((part) => alternativesOf((part.items ?? {}) as JsonSchema).flatMap(typesOf)),
  )
  const isFile = alternatives.some((part) => part.format === 'binary')
  // A part that accepts anything makes the whole accept anything.
  const isOpen = alternatives.some((part) => typesOf(part).length === 0)
  return { name, types: isOpen ? new Set() : types, itemTypes, isFile }
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const parts = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  return parts ? parts.flatMap(alternativesOf) : [schema]
}

function typesOf(schema: JsonSchema): JsonType[] {
  const named = schema.type === undefined ? [] : [schema.type].flat()
  const values = schema.const === undefined ? ((schema.enum ?? []) as unknown[]) : [schema.const]
  const types = named.length > 0 ? named : values.map((value) => (value === null ? 'null' : typeof value))
  return types.map((type) => (type === 'integer' ? 'number' : type)) as JsonType[]
}

function isLooseObject(schema: z.ZodType): boolean {
  if (!(schema instanceof z.ZodObject)) return false
  const { catchall } = schema.def
  return catchall !== undefined && !(catchall instanceof z.ZodNever)
}
