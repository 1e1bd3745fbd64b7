import type { JsonSchema } from '@tollbook/endpoints/json-schema'

/** The TypeScript type of a JSON Schema, as source text. What a type cannot express is left out. */
export function toType(schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)))
  const types = [schema.type ?? []].flat().map((type) => ofType(String(type), schema))
  const parts = [
    ...(types.length > 0 ? [union(types)] : []),
    ...[schema.anyOf, schema.oneOf].flatMap((list) =>
      list ? [union((list as JsonSchema[]).map(toType))] : [],
    ),
    ...((schema.allOf ?? []) as JsonSchema[]).map(toType),
  ]
  const known = parts.filter((part) => part !== 'unknown')
  return known.length > 1 ? `(${known.join(' & ')})` : (known[0] ?? 'unknown')
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)]
  if (all.includes('unknown')) return 'unknown'
  return all.length > 1 ? `(${all.join(' | ')})` : (all[0] ?? 'never')
}

function ofType(type: string, schema: JsonSchema): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return toArray(schema)
  if (type === 'object') return toObject(schema)
  return schema.format === 'binary' ? 'Blob' : type
}

function toArray({ items, prefixItems }: JsonSchema): string {
  const rest = items ? `${toType(items as JsonSchema)}[]` : 'unknown[]'
  if (!prefixItems) return rest
  return `[${(prefixItems as JsonSchema[]).map(toType).join(', ')}${items ? `, ...${rest}` : ''}]`
}

function toObject({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (!properties && additionalProperties === undefined) return 'Record<string, unknown>'
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, member]) => {
    const mark = (required as string[]).includes(name) ? '' : '?'
    return `${toDoc(member.description)}${JSON.stringify(name)}${mark}: ${toType(member)}`
  })
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  // An index signature applies to the named members too.
  const others = members.length === 0 && typeof additionalProperties === 'object' ? additionalProperties : {}
  if (isOpen) members.push(`[name: string]: ${toType((others ?? {}) as JsonSchema)}`)
  return members.length > 0 ? `{\n${members.join('\n')}\n}` : 'Record<string, never>'
}

/** A doc comment; empty without text. */
export function toDoc(text: unknown): string {
  return typeof text === 'string' ? `/** ${text.replaceAll('*/', '* /')} */\n` : ''
}
