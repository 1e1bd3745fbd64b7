import { type Change, changesOfYear, type LocalType, type Zone } from './zone.ts'

/** The time between two clock changes of a zone. */
export type ClockPeriod = {
  readonly type: LocalType
  /** Seconds ahead of UTC without daylight saving. */
  readonly standardOffset: number
  /** Null if no further change is known. */
  readonly next: Change | null
}

/** The period that contains an instant; epoch seconds, from 1970 on. */
export function findPeriod(zone: Zone, seconds: number): ClockPeriod {
  const at = zone.changes.findLastIndex((change) => change.seconds <= seconds)
  const type = zone.changes[at]?.type ?? zone.initial
  const next = zone.changes[at + 1]
  if (next) return { type, standardOffset: findStandardOffset(zone, at), next }
  return findByRule(zone, seconds, type)
}

/** After the last listed change, at which `last` took effect. */
function findByRule(zone: Zone, seconds: number, last: LocalType): ClockPeriod {
  const since = zone.changes.at(-1)?.seconds ?? 0
  const year = new Date(seconds * 1000).getUTCFullYear()
  const changes = [year - 1, year, year + 1, year + 2]
    .flatMap((each) => changesOfYear(zone.rule, each))
    .filter((change) => change.seconds > since)
  const type = changes.findLast((change) => change.seconds <= seconds)?.type ?? last
  const next = changes.find((change) => change.seconds > seconds && !isSame(change.type, type)) ?? null
  return { type, standardOffset: zone.rule.standard.offset, next }
}

function isSame(one: LocalType, other: LocalType): boolean {
  return one.offset === other.offset && one.isDst === other.isDst && one.abbreviation === other.abbreviation
}

/** From the nearest period without daylight saving, preferably an earlier one. */
function findStandardOffset({ initial, changes, rule }: Zone, at: number): number {
  const before = [initial, ...changes.slice(0, at + 1).map((change) => change.type)]
  const after = changes.slice(at + 1).map((change) => change.type)
  const standard = before.findLast((type) => !type.isDst) ?? after.find((type) => !type.isDst)
  return (standard ?? rule.standard).offset
}
