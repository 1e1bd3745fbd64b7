import { Fields, type Value } from '../value.ts'

/**
 * A row whose nested objects are columns of their own: `{"a":{"b":1}}` gives the column `a.b`. A point in a name is
 * written `\.`, a backslash `\\`. Lists and empty objects stay values.
 */
export function flatten(row: Fields): Fields {
  const names: string[] = []
  const values: Value[] = []
  const add = (fields: Fields, prefix: string) => {
    fields.names.forEach((given, at) => {
      const name = prefix + given.replaceAll(/[\\.]/g, '\\$&')
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
 * The row from which `flatten` makes this one. Where a column is both a value and a parent, as of `a` and `a.b`, the
 * one that is null gives way, and the later one keeps its whole name otherwise.
 */
export function nest(row: Fields): Fields {
  const root: Branch = new Map()
  row.names.forEach((name, at) => {
    const value = row.values[at] ?? null
    if (!place(root, splitPath(name), value) && value !== null) root.set(name, { value })
  })
  return toFields(root)
}

/** Puts a value in its place; false where another one stands in the way. */
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

/** Splits at points that have no backslash, and takes the backslashes out. */
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
