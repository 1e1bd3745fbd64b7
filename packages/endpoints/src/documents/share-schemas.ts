import { isRecord } from '@tollbook/flow/is-record'
import type { JsonSchema } from '../json-schema.ts'

type Json = Record<string, unknown>

/** Shorter schemas stay where they are: a reference would hardly be shorter, and harder to read. */
const MIN_SHARED_LENGTH = 60
/** Keywords whose value is a schema, a list of schemas, or schemas by name (JSON Schema 2020-12, core). */
const SINGLE = ['items', 'additionalProperties', 'not', 'propertyNames', 'contains'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const BY_NAME = ['properties', 'patternProperties', '$defs'] as const

/**
 * Replaces schemas that occur more than once by references, next to which version 3.1 allows descriptions.
 * @param taken names of components that exist. @returns paths, and schemas for `components`.
 */
export function shareSchemas(
  paths: Json,
  taken: Iterable<string>,
): { readonly paths: Json; readonly schemas: Json } {
  const uses = new Map<string, number>()
  visitContent(paths, counted)
  const names = new Map<string, string>()
  const used = new Set(taken)
  const schemas: Json = {}

  function counted(schema: JsonSchema): JsonSchema {
    const text = toText(schema)
    const seen = uses.get(text) ?? 0
    uses.set(text, seen + 1)
    // The parts of a schema that occurs again are shared with it.
    if (seen === 0 || text.length < MIN_SHARED_LENGTH) mapParts(schema, counted, '')
    return schema
  }

  function share(schema: JsonSchema, name: string): JsonSchema {
    const text = toText(schema)
    if (text.length < MIN_SHARED_LENGTH || (uses.get(text) ?? 0) < 2) return mapParts(schema, share, name)
    const { description, ...bare } = schema
    let shared = names.get(text)
    if (shared === undefined) {
      shared = toUnique(toPascalCase(name), used)
      names.set(text, shared)
      schemas[shared] = mapParts(bare, share, name)
    }
    return { $ref: `#/components/schemas/${shared}`, ...(description !== undefined && { description }) }
  }

  return { paths: visitContent(paths, share) as Json, schemas }
}

type Operation = { readonly parameters?: readonly { readonly name: string }[] }

/** The same for the parameters of operations, which several paths may have. */
export function shareParameters(paths: Json): { readonly paths: Json; readonly parameters: Json } {
  const methods = Object.entries(paths).map(([path, item]) => [path, Object.entries(item as Json)] as const)
  const operations = methods.flatMap(([, own]) => own.map(([, operation]) => operation as Operation))
  const texts = operations.flatMap((operation) =>
    (operation.parameters ?? []).map((each) => JSON.stringify(each)),
  )
  const repeated = new Set(texts.filter((text, at) => texts.indexOf(text) < at))
  const names = new Map<string, string>()
  const used = new Set<string>()
  const shared: Json = {}
  const share = (parameter: { readonly name: string }) => {
    const text = JSON.stringify(parameter)
    if (!repeated.has(text)) return parameter
    const name = names.get(text) ?? toUnique(parameter.name, used)
    names.set(text, name)
    shared[name] = parameter
    return { $ref: `#/components/parameters/${name}` }
  }
  const replaced = methods.map(([path, own]) => {
    const replace = (operation: Operation) =>
      operation.parameters ? { ...operation, parameters: operation.parameters.map(share) } : operation
    return [
      path,
      Object.fromEntries(own.map(([method, operation]) => [method, replace(operation as Operation)])),
    ]
  })
  return { paths: Object.fromEntries(replaced), parameters: shared }
}

/** A copy of a part of the document in which each `schema` is replaced. @param name of what the schema describes */
function visitContent(
  part: unknown,
  replace: (schema: JsonSchema, name: string) => JsonSchema,
  name = '',
): unknown {
  if (Array.isArray(part)) return part.map((each) => visitContent(each, replace, name))
  if (typeof part !== 'object' || part === null) return part
  const own =
    'operationId' in part
      ? String(part.operationId)
      : 'in' in part && 'name' in part
        ? String(part.name)
        : name
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === 'schema') return [key, replace(value as JsonSchema, own)]
      if (key === 'example' || key.startsWith('x-')) return [key, value]
      return [key, visitContent(value, replace, own)]
    }),
  )
}

function mapParts(
  schema: JsonSchema,
  map: (part: JsonSchema, name: string) => JsonSchema,
  name: string,
): JsonSchema {
  const copy: Json = { ...schema }
  for (const key of SINGLE)
    if (isRecord(copy[key])) copy[key] = map(copy[key], key === 'items' ? `${name} item` : name)
  for (const key of LISTS)
    if (Array.isArray(copy[key]))
      copy[key] = copy[key].map((part) => (isRecord(part) ? map(part, name) : part))
  for (const key of BY_NAME)
    if (isRecord(copy[key]))
      copy[key] = Object.fromEntries(
        Object.entries(copy[key]).map(([own, part]) => [own, isRecord(part) ? map(part, own) : part]),
      )
  return copy
}

function toText({ description: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema)
}

function toPascalCase(name: string): string {
  return (
    name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])?/g, (_, first = '') => first.toUpperCase()) || 'Part'
  )
}

function toUnique(name: string, used: Set<string>): string {
  let unique = name
  for (let at = 2; used.has(unique); at++) unique = `${name}${at}`
  used.add(unique)
  return unique
}
