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
