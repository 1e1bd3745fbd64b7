import { ConvertError } from '../convert-error.ts'
import { Fields, type Value } from '../value.ts'

/**
 * Turns nested objects of a row into columns: `{"a":{"b":1}}` becomes the column `a.b`. A dot in a name is
 * escaped as `\.`, a backslash as `\\`. Lists and empty objects stay values.
 */
export function flatten(row: Fields): Fields {
  const names: string[] = []
  const values: Value[] = []
  const add = (fields: Fields, prefix: string) => {
    fields.names.forEach((provided, at) => {
      const name = prefix + provided.replaceAll(/[\\.]/g, '\\$&')
      const value = fields.values[at] ?? null
      if (value instanceof Fields && value.names.length > 0) add(value, `${name}.`)
      else {
        names.push(name)
        values.push(value)
      }
    })
  }
  add(row, '')
  return new Fields(names, values)
}

type Branch = Map<string, Branch | { readonly value: Value }>

/**
 * The inverse of `flatten`. If a column is both a value and a parent, such as `a` and `a.b`, a null value is
 * dropped; otherwise the later column keeps its full dotted name.
 * @throws ConvertError if a name has more than `depth` parts
 */
export function nest(row: Fields, depth: number): Fields {
  const root: Branch = new Map()
  row.names.forEach((name, at) => {
    const value = row.values[at] ?? null
    const path = splitPath(name)
    if (path.length > depth)
      throw new ConvertError(`the name of column ${at + 1} is nested too deeply (limit ${depth} levels)`)
    if (!place(root, path, value) && value !== null) root.set(name, { value })
  })
  return toFields(root)
}

/** Stores a value at its path; returns false if another value is in the way. */
function place(root: Branch, path: readonly string[], value: Value): boolean {
  let branch = root
  for (const part of path.slice(0, -1)) {
    const next = branch.get(part)
    if (next instanceof Map) branch = next
    else if (next === undefined || next.value === null) {
      const made: Branch = new Map()
      branch.set(part, made)
      branch = made
    } else return false
  }
  const last = path.at(-1) ?? ''
  if (branch.has(last)) return false
  branch.set(last, { value })
  return true
}

function toFields(branch: Branch): Fields {
  const values = [...branch.values()].map((item) => (item instanceof Map ? toFields(item) : item.value))
  return new Fields([...branch.keys()], values)
}

/** Splits at unescaped dots and removes the backslashes. */
function splitPath(name: string): readonly string[] {
  const parts = ['']
  for (let at = 0; at < name.length; at += 1) {
    const character = name.charAt(at)
    const next = name.charAt(at + 1)
    if (character === '.') parts.push('')
    else if (character === '\\' && (next === '.' || next === '\\')) {
      parts[parts.length - 1] += next
      at += 1
    } else parts[parts.length - 1] += character
  }
  return parts
}
