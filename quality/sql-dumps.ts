import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConvertError } from '@tollbook/convert/convert-error'
import { convertText } from '@tollbook/testing/utility/converting'
import { printFigure, type Suite, type SuiteOptions } from './suite.ts'

/** Dumps of real databases and published scripts, with the number of rows that the database itself counts. */
export const sqlDumps: Suite = suiteOf('sql-dumps', 'tune', false)
/** The half of the files that no rule may be tuned on. */
export const sqlDumpsUnseen: Suite = suiteOf('sql-dumps-unseen', 'unseen', true)

function suiteOf(name: string, half: string, isHeldOut: boolean): Suite {
  return {
    name,
    summary: `rows of SQL dumps and scripts as counted by their databases${isHeldOut ? ', held out' : ''}`,
    isHeldOut,
    async run(options) {
      measure(name, join(options.folder, 'sql-dumps', half), options)
    },
  }
}

/** `<file>.counts.json` next to a dump holds its rows by table, or all rows as `*`. */
function measure(suite: string, folder: string, { every }: SuiteOptions): void {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const chosen = files.toSorted().filter((_, at) => at % every === 0)
  const totals = { equal: 0, refused: 0, lost: 0 }
  for (const file of chosen) {
    const text = readFileSync(join(folder, file), 'utf8')
    const counts = JSON.parse(readFileSync(join(folder, file.replace(/sql$/, 'counts.json')), 'utf8'))
    const outcome = judge(text, counts)
    totals[outcome.kind] += 1
    if (outcome.kind !== 'equal') process.stderr.write(`${suite} ${file}: ${outcome.kind}: ${outcome.why}\n`)
  }
  const of = chosen.length
  printFigure({ suite, figure: 'files whose rows equal those of the database', value: totals.equal, of })
  printFigure({ suite, figure: 'files refused', value: totals.refused, of })
  printFigure({ suite, figure: 'files with lost rows', value: totals.lost, of })
}

type Outcome = { readonly kind: 'equal' | 'refused' | 'lost'; readonly why: string }

function judge(text: string, counts: Readonly<Record<string, number>>): Outcome {
  try {
    const { texts, notes } = convertText(text, 'sql', 'ndjson')
    const found = new Map(Object.entries(texts).map(([table, rows]) => [table, rows.split('\n').length - 1]))
    const all = [...found.values()].reduce((sum, rows) => sum + rows, 0)
    const wrong = Object.entries(counts).filter(
      ([table, rows]) => (table === '*' ? all : (found.get(table) ?? 0)) !== rows,
    )
    const surplus = counts['*'] === undefined && all !== Object.values(counts).reduce((sum, n) => sum + n, 0)
    if (wrong.length === 0 && !surplus) return { kind: 'equal', why: '' }
    const shown = wrong.map(([table, rows]) => `${table} ${found.get(table) ?? all} instead of ${rows}`)
    return {
      kind: 'lost',
      why: `${shown.join(', ')} (${all} rows, ${notes.length} warnings: ${notes.slice(0, 3).join('; ')})`,
    }
  } catch (error) {
    if (error instanceof ConvertError)
      return { kind: 'refused', why: `${error.line}:${error.column} ${error.message}` }
    throw error
  }
}
