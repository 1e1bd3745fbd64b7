import type { Change, LocalType, Zone } from './zone.ts'

/** The time between two clock changes of a zone. */
export type ClockPeriod = {
  readonly type: LocalType
  /** Seconds ahead of UTC without daylight saving. */
  readonly standardOffset: number
  /** Null if no further change is known. */
  readonly next: Change | null
}

/** `+02:00`; with seconds if they are not 0, as in `-00:44:30`. */
export function writeOffset(offset: number): string {
  const seconds = Math.abs(offset)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const written = (seconds % 60 === 0 ? parts.slice(0, 2) : parts).map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${offset < 0 ? '-' : '+'}${written.join(':')}`
}

/** The local time `offset` seconds ahead of UTC: `2026-07-01T14:00:00+02:00`. */
export function writeLocalTime(seconds: number, offset: number): string {
  return new Date((seconds + offset) * 1000).toISOString().slice(0, 19) + writeOffset(offset)
}

/** The period that contains an instant; epoch seconds, from 1970 to 2100. */
export function findPeriod({ initial, changes }: Zone, seconds: number): ClockPeriod {
  const at = changes.findLastIndex((change) => change.seconds <= seconds)
  const type = changes[at]?.type ?? initial
  const before = [initial, ...changes.slice(0, at + 1).map((change) => change.type)]
  const after = changes.slice(at + 1).map((change) => change.type)
  const standard = [before.findLast(isStandard), after.find(isStandard)].filter((each) => each !== undefined)
  const standardOffset = type.isDst ? nearestToAnHour(type.offset, standard) : type.offset
  return { type, standardOffset, next: changes[at + 1] ?? null }
}

function isStandard({ isDst }: LocalType): boolean {
  return !isDst
}

/** The standard times before and after differ if both clocks and standard time changed: Grand Turk in March 2018. */
function nearestToAnHour(offset: number, standard: readonly LocalType[]): number {
  const distance = (type: LocalType) => Math.abs(offset - type.offset - 3600)
  const [nearest] = standard.toSorted((one, other) => distance(one) - distance(other))
  return nearest?.offset ?? offset
}
