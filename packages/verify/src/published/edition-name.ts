/** The edition of the newest seven days, which each publication overwrites. */
export const ROLLING = 'rolling'

/** What a request names of a report. */
export type RequestedVersion = {
  /** The published week; absent for the newest window. */
  readonly week?: string | undefined
  /** A revision of the week; absent for the newest. */
  readonly revision?: number | undefined
  /** Length of the newest window; absent for seven days. */
  readonly days?: string | undefined
}

/** The edition of the newest window of this length. Every other edition is a week that never changes. */
export function rollingEdition(days: number): string {
  return days === 7 ? ROLLING : `${ROLLING}-${days}`
}

export function daysOfEdition(edition: string): number {
  return edition.startsWith(`${ROLLING}-`) ? Number(edition.slice(ROLLING.length + 1)) : 7
}

export function toEditionName({ week, days = '7' }: RequestedVersion): string {
  return week ?? rollingEdition(Number(days))
}
