import { CalcError } from '../calc-error.ts'

const MONTH = '(?:0?[1-9]|1[0-2])'
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR = '[12]\\d{3}'

const DATE_HINT = 'looks like a date, which is no arithmetic (for a calculation, write spaces:'
const TIME_HINT =
  'is no arithmetic: for a duration write 12 h 30 min or 12 min 30 s instead of 12:30, for a ratio 12/30'

/** What looks like arithmetic and is none, with what it may be. */
const LOOKALIKES: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [apart(`${YEAR}-${MONTH}-${DAY}`), `${DATE_HINT} 2026 - 11 - 28)`],
  [apart(`(?:${MONTH}-${DAY}|${DAY}-${MONTH})-${YEAR}`), `${DATE_HINT} 11 - 28 - 2026)`],
  [apart(`${YEAR}/${MONTH}/${DAY}`), `${DATE_HINT} 2026 / 11 / 28)`],
  [apart(`(?:${MONTH}/${DAY}|${DAY}/${MONTH})/${YEAR}`), `${DATE_HINT} 11 / 28 / 2026)`],
  // With a year of two digits: only what is written with a leading 0.
  [apart('(?:0[1-9]/\\d{1,2}|\\d{1,2}/0[1-9])/\\d{2}'), `${DATE_HINT} 11 / 2 / 26)`],
  [
    apart(`(?:${DAY}\\.${MONTH}|${MONTH}\\.${DAY})\\.(?:${YEAR}|\\d{2})`),
    'looks like a date, which is no arithmetic',
  ],
  [/\d+:\d+(?::\d+)?/, TIME_HINT],
  [/\d\s*[ap]m\s*(?:to|until|[-–])\s*\d+\s*[ap]m/i, TIME_HINT],
  [
    /^\s*(?:\+?\d{1,3}[-. ])?(?:\(?\d{1,3}\)?[-. ])?[2-9]\d{2}-\d{4}\s*$/,
    'looks like a telephone number (for a difference, write spaces: 555 - 1234)',
  ],
  [/^\s*\d{3}-\d{2}-\d{4}\s*$/, 'looks like a number of a document (for a difference, write spaces)'],
]

/** Matches only without another digit, point or operator next to it. */
function apart(pattern: string): RegExp {
  return new RegExp(`(?<![\\d.^*/-])${pattern}(?![\\d^*/!]|\\.\\d|-\\d)`)
}

/**
 * Refuses dates, clock times and telephone numbers: `2026-12-25` is not 1989.
 * @throws CalcError with the column of the first one.
 */
export function refuseLookalikes(text: string): void {
  for (const [pattern, hint] of LOOKALIKES) {
    const found = pattern.exec(text)
    if (found) throw new CalcError('syntax', `${found[0].trim()} ${hint}`, found.index + 1)
  }
}
