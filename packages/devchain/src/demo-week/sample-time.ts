import type { Random } from './random.ts'

export const WEEK_SECONDS = 7 * 86_400
/** Traffic at the quietest hour and on a Sunday, as a fraction of the peak. */
const NIGHT = 0.3
const WEEKEND = 0.7
const BUSIEST_HOUR_UTC = 15

/**
 * A second within the seven days before `endSeconds`, more often by day than by night, and on workdays than
 * on weekends.
 */
export function sampleTime(random: Random, endSeconds: number): number {
  for (;;) {
    const seconds = endSeconds - Math.floor(random() * WEEK_SECONDS)
    if (random() < trafficAt(seconds)) return seconds
  }
}

/** Between 0 and 1. */
function trafficAt(epochSeconds: number): number {
  const date = new Date(epochSeconds * 1000)
  const hour = date.getUTCHours() + date.getUTCMinutes() / 60
  const wave = (1 + Math.cos(((hour - BUSIEST_HOUR_UTC) / 24) * 2 * Math.PI)) / 2
  const day = date.getUTCDay() === 0 || date.getUTCDay() === 6 ? WEEKEND : 1
  return (NIGHT + (1 - NIGHT) * wave) * day
}
