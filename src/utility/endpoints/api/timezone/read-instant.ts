/** A + in a query string decodes to a space, so an offset may arrive with one. */
const FORM = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+\- ]\d{2}:?\d{2})$/i

/** Parses an instant of the years 1970 to 2100 (ISO 8601 with Z or an offset); null if invalid. */
export function readInstant(text: string): Date | null {
  const match = FORM.exec(text)
  if (!match) return null
  const [, year, month, day] = match.map(Number)
  // Date parses the 30th of February as a day of March.
  const daysOfMonth = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate()
  if ((day ?? 0) > daysOfMonth) return null
  const instant = new Date(
    text
      .toUpperCase()
      .replace(' ', '+')
      .replace(/([+-]\d{2})(\d{2})$/, '$1:$2'),
  )
  const isWithin = instant.getTime() >= 0 && instant.getUTCFullYear() <= 2100
  return isWithin ? instant : null
}
