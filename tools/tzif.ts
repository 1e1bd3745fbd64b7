import { type Change, type LocalType, readYearlyRule, type Zone } from '../src/engines/timezone/zone.ts'

const HEADER_BYTES = 44

/**
 * Parses a compiled zone from 1970-01-01 on, and the text of its rule.
 * @see https://www.rfc-editor.org/rfc/rfc9636
 * @throws Error for features that `zic` does not write by default.
 */
export function readTzif(file: Buffer): { readonly zone: Zone; readonly ruleText: string } {
  const first = readCounts(file, 0)
  // Version 1 has 32-bit times; the second block repeats them with 64 bits.
  const marks = first.characters + first.standards + first.universals
  const at = HEADER_BYTES + first.times * 5 + first.types * 6 + first.leaps * 8 + marks
  const counts = readCounts(file, at)
  if (counts.leaps > 0) throw new Error('zones with leap seconds are not supported')
  const timesAt = at + HEADER_BYTES
  const indexesAt = timesAt + counts.times * 8
  const typesAt = indexesAt + counts.times
  const namesAt = typesAt + counts.types * 6
  const typeOf = (index: number): LocalType => {
    const start = typesAt + index * 6
    const nameAt = namesAt + file.readUInt8(start + 5)
    const abbreviation = file.toString('latin1', nameAt, file.indexOf(0, nameAt))
    return { offset: file.readInt32BE(start), isDst: file.readUInt8(start + 4) === 1, abbreviation }
  }
  const all = Array.from({ length: counts.times }, (_, index) => ({
    seconds: Number(file.readBigInt64BE(timesAt + index * 8)),
    type: typeOf(file.readUInt8(indexesAt + index)),
  }))
  const ruleAt = namesAt + counts.characters + counts.standards + counts.universals
  const ruleText = file.toString('latin1', ruleAt).trim()
  const initial = all.findLast(({ seconds }) => seconds <= 0)?.type ?? typeOf(0)
  const later = all.filter(({ seconds }) => seconds > 0)
  return {
    zone: { initial, changes: withoutRepeats(later, initial), rule: readYearlyRule(ruleText) },
    ruleText,
  }
}

function withoutRepeats(changes: readonly Change[], initial: LocalType): readonly Change[] {
  return changes.filter(({ type }, at) => {
    const before = changes[at - 1]?.type ?? initial
    return JSON.stringify(type) !== JSON.stringify(before)
  })
}

function readCounts(file: Buffer, at: number) {
  if (file.toString('latin1', at, at + 4) !== 'TZif') throw new Error('not a compiled zone (TZif)')
  const countAt = (index: number) => file.readUInt32BE(at + 20 + index * 4)
  return {
    universals: countAt(0),
    standards: countAt(1),
    leaps: countAt(2),
    times: countAt(3),
    types: countAt(4),
    characters: countAt(5),
  }
}
