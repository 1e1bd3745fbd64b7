import type { Notes } from '../notes.ts'

/**
 * Names for the columns of a header: an empty name becomes `column3` by its place unless it is written in quotes,
 * and a name that is taken gets `_2`, `_3` and so on.
 */
export function nameColumns(
  header: readonly string[],
  quoted: readonly boolean[],
  notes: Notes,
): readonly string[] {
  const taken = new Set(header)
  const used = new Set<string>()
  return header.map((given, at) => {
    let name = given
    if (name === '' && !quoted[at]) {
      name = `column${at + 1}`
      notes.add(`column ${at + 1} has no name in the header and is called ${name}`, 1)
    }
    if (used.has(name)) {
      let number = 2
      while (used.has(`${name}_${number}`) || taken.has(`${name}_${number}`)) number += 1
      notes.add(
        `the header names ${JSON.stringify(name)} twice: column ${at + 1} is called ${name}_${number}`,
        1,
      )
      name = `${name}_${number}`
    }
    used.add(name)
    return name
  })
}

/** `column1`, `column2` and so on, where there is no header. */
export function numberColumns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `column${at + 1}`)
}
