/** The clock changes of a zone from 1970-01-01 to the end of 2101. */
export type Zone = {
  readonly initial: LocalType
  /** In chronological order. */
  readonly changes: readonly Change[]
}

/** A local time type: UTC offset, DST flag and abbreviation (RFC 9636). */
export type LocalType = {
  /** Seconds ahead of UTC. */
  readonly offset: number
  /** As in the tz database, where Dublin's winter time counts as DST with a negative saving. */
  readonly isDst: boolean
  readonly abbreviation: string
}

export type Change = {
  /** Epoch seconds; the type applies from here on. */
  readonly seconds: number
  readonly type: LocalType
}

/** Parses a zone from data/zones.txt, without its names: `types|changes`. */
export function readZone(text: string): Zone {
  const [types = '', changes = ''] = text.split('|')
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
  }
}

function readType(text: string): LocalType {
  const [offset = '', isDst = '', abbreviation = ''] = text.split(',')
  return { offset: Number(offset), isDst: isDst === '1', abbreviation }
}
