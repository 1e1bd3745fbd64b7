import type { Change, LocalType } from './change.ts'
import { readYearlyRule, type YearlyRule } from './yearly-rule.ts'

/** The clock changes of a zone from 1970-01-01 on. */
export type Zone = {
  readonly initial: LocalType
  /** In chronological order. */
  readonly changes: readonly Change[]
  /** Applies after the last change. */
  readonly rule: YearlyRule
}

/** Parses a zone from data/zones.txt, without its names: `types|changes|rule`. */
export function readZone(text: string): Zone {
  const [types = '', changes = '', rule = ''] = text.split('|')
  const localTypes = types.split(' ').map(readType)
  const typeOf = (index: number): LocalType => {
    const type = localTypes[index]
    if (!type) throw new Error(`the zone has no type ${index}`)
    return type
  }
  let seconds = 0
  return {
    initial: typeOf(0),
    changes: (changes === '' ? [] : changes.split(' ')).map((change) => {
      const [later = '', index = ''] = change.split(':')
      seconds += Number.parseInt(later, 36)
      return { seconds, type: typeOf(Number(index)) }
    }),
    rule: readYearlyRule(rule),
  }
}

function readType(text: string): LocalType {
  const [offset = '', isDst = '', abbreviation = ''] = text.split(',')
  return { offset: Number(offset), isDst: isDst === '1', abbreviation }
}
