import type { Notes } from '../notes.ts'
import { Fields, type Value } from '../value.ts'

/**
 * Column names from a header: an empty, unquoted name becomes `column3` by its position, and a duplicate gets
 * `_2`, `_3` and so on.
 */
export function nameColumns(
  header: readonly string[],
  quoted: readonly boolean[],
  notes: Notes,
): readonly string[] {
  const taken = new Set(header)
  const used = new Set<string>()
  return header.map((provided, at) => {
    let name = provided
    if (name === '' && !quoted[at]) {
      name = `column${at + 1}`
      notes.add(`column ${at + 1} has no name in the header and is named ${name}`, 1)
    }
    if (used.has(name)) {
      let number = 2
      while (used.has(`${name}_${number}`) || taken.has(`${name}_${number}`)) number += 1
      notes.add(
        `duplicate column name ${JSON.stringify(name)} in the header: column ${at + 1} is named ${name}_${number}`,
        1,
      )
      name = `${name}_${number}`
    }
    used.add(name)
    return name
  })
}

/** `column1`, `column2` and so on, if there is no header. */
export function numberColumns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `column${at + 1}`)
}

/**
 * Converts a record to a row: an object by its names, a list by position (`column1`), any other value as the
 * single column `value`.
 */
export function toFields(record: Value): Fields {
  if (record instanceof Fields) return record
  if (Array.isArray(record)) return new Fields(numberColumns(record.length), record)
  return new Fields(['value'], [record])
}
