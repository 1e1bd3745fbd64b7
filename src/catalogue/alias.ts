import type * as z from 'zod'

/** The names of one field: the canonical name first, then its aliases. */
export type Names = readonly [string, ...string[]]

/**
 * Requires exactly one name of each field, in zod and in JSON Schema; the names are declared optional.
 * @example withAliases(z.object({ expr: text.optional(), q: text.optional() }), ['expr', 'q'])
 */
export function withAliases<Schema extends z.ZodObject>(schema: Schema, ...fields: readonly Names[]): Schema {
  const rules = fields.map((names) => ({ oneOf: names.map((name) => ({ required: [name] })) }))
  return schema
    .superRefine((input, context) => {
      for (const names of fields) {
        const given = names.filter((name) => input[name] !== undefined)
        if (given.length === 1) continue
        const message = given.length === 0 ? 'is required' : `is specified twice: ${given.join(' and ')}`
        context.addIssue({ code: 'custom', path: [names[0]], message })
      }
    })
    .meta(rules.length === 1 ? { ...rules[0] } : { allOf: rules })
}

/** The value of a field under the alias that the caller used. */
export function givenValue<Value>(input: Readonly<Record<string, Value | undefined>>, names: Names): Value {
  const value = names.map((name) => input[name]).find((given) => given !== undefined)
  if (value === undefined) throw new TypeError(`none of ${names.join(', ')} is specified`)
  return value
}
