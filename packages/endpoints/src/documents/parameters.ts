import type { Endpoint } from '../endpoint.ts'
import { buildInputSchema, type JsonSchema } from '../json-schema.ts'

export type Parameter = {
  readonly name: string
  /** What it accepts in a few words, such as `integer, 64 to 2048` or `one of L, M, Q, H`. */
  readonly takes: string
  readonly isRequired: boolean
  /** JSON of the default; null when there is none. */
  readonly standard: string | null
  readonly description: string
}

export function listParameters(endpoint: Endpoint): readonly Parameter[] {
  const schema = buildInputSchema(endpoint)
  const required = new Set((schema.required ?? []) as string[])
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, property]) => ({
    name,
    takes: sayTaken(property),
    isRequired: required.has(name),
    standard: property.default === undefined ? null : JSON.stringify(property.default),
    description: typeof property.description === 'string' ? property.description : '',
  }))
}

function sayTaken(property: JsonSchema): string {
  const parts = (property.anyOf ?? property.oneOf) as JsonSchema[] | undefined
  if (parts) return [...new Set(parts.map(sayTaken))].join(' or ')
  if (Array.isArray(property.enum)) return `one of ${property.enum.join(', ')}`
  if (property.const !== undefined) return JSON.stringify(property.const)
  if (property.format === 'binary') return 'file'
  if (Array.isArray(property.type)) {
    return property.type.map((type: unknown) => sayTaken({ ...property, type })).join(' or ')
  }
  const type = property.type === undefined ? 'any JSON' : String(property.type)
  if (type === 'array') return `list of ${sayTaken((property.items ?? {}) as JsonSchema)}`
  const bounds = [
    sayRange(property.minimum ?? property.minLength, property.maximum ?? property.maxLength),
    type === 'string' && property.maxLength !== undefined ? ' characters' : '',
  ].join('')
  return bounds === '' ? type : `${type}, ${bounds}`
}

function sayRange(least: unknown, most: unknown): string {
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return `at least ${least}`
  return least === undefined ? `at most ${most}` : `${least} to ${most}`
}
