/** Normalizes an untrusted time; null if it is not a time in the years 0 to 9999. */
export function toIsoTime(given: string | undefined): string | null {
  const time = new Date(given ?? '')
  if (Number.isNaN(time.getTime())) return null
  const iso = time.toISOString()
  return /^\d{4}-/.test(iso) ? iso : null
}
