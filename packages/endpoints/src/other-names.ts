import type * as z from 'zod'

/** The names of one field: the canonical name first, then its other names. */
export type Names = readonly [string, ...string[]]

/**
 * Requires exactly one name of each field, in zod and in JSON Schema; the names are declared optional.
 * @example withOtherNames(z.object({ expr: text.optional(), q: text.optional() }), ['expr', 'q'])
 */
export function withOtherNames<Schema extends z.ZodObject>(
  schema: Schema,
  ...fields: readonly Names[]
): Schema {
  const rules = fields.map((names) => ({ oneOf: names.map((name) => ({ required: [name] })) }))
  return schema
    .superRefine((input, context) => {
      for (const names of fields) {
        const provided = names.filter((name) => input[name] !== undefined)
        if (provided.length === 1) continue
        const message =
          provided.length === 0 ? 'is required' : `is specified twice: ${provided.join(' and ')}`
        context.addIssue({ code: 'custom', path: [names[0]], message })
      }
    })
    .meta(rules.length === 1 ? { ...rules[0] } : { allOf: rules })
}

/** The value of a field under the name that the caller used. */
export function providedValue<Value>(
  input: Readonly<Record<string, Value | undefined>>,
  names: Names,
): Value {
  const value = names.map((name) => input[name]).find((provided) => provided !== undefined)
  if (value === undefined) throw new TypeError(`none of ${names.join(', ')} is specified`)
  return value
}
