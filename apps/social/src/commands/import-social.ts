import { PermanentError } from '@tollbook/flow/failure'
import { createProgress, type Phase } from '@tollbook/flow/progress'
import { toPlainLine } from '@tollbook/flow/text/plain-line'
import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { addCounts, NO_COUNTS, type SocialImportCounts } from '../import/import-cursor.ts'
import { findSources, type SourcePlace } from '../import/open-sources.ts'
import { runImport } from '../import/run-import.ts'
import type { State } from '../state/state.ts'

type Running = {
  readonly config: Config
  readonly shutdown: Shutdown
  readonly openState: (config: Config, shutdown: Shutdown) => Promise<State>
}

type SocialSet = {
  /** Files and folders. */
  readonly places: readonly string[]
  readonly isAgain: boolean
}

/** Only the number of further issues is printed. */
const MAX_ISSUES_SHOWN = 20
/** Applies to paths, and to what is wrong in a file. */
const MAX_LINE_LENGTH = 4_000

/** `tollbook import social`: imports tweets, users and related objects into the store of the social API. */
export async function importSocial(set: SocialSet, { config, shutdown, openState }: Running): Promise<void> {
  const found = await Promise.all(set.places.map(findSources))
  const state = await openState(config, shutdown)
  const { phase } = createProgress()
  const report = createReport()
  const issues = createIssues()
  for (const place of found.flat())
    await phase(toShown(place.path), (shown) =>
      importPlace(place, { state, isAgain: set.isAgain, shutdown, report, issues, shown }),
    )
  issues.tell()
  report.tell()
}

type Importing = {
  readonly state: State
  readonly isAgain: boolean
  readonly shutdown: Shutdown
  readonly shown: Phase
  readonly report: ReturnType<typeof createReport>
  readonly issues: ReturnType<typeof createIssues>
}

/** One broken file does not stop the import of the others. */
async function importPlace(place: SourcePlace, importing: Importing): Promise<void> {
  const { state, isAgain, shutdown, shown, report, issues } = importing
  try {
    const source = await place.open()
    let readBytes = 0
    const outcome = await runImport(source, {
      state,
      isAgain,
      now: () => new Date(),
      signal: shutdown.signal,
      onBytes: (bytes) => {
        readBytes += bytes
        shown.at(Math.round(readBytes / 1e6), Math.round(source.sizeBytes / 1e6), 'MB')
      },
      onIssue: issues.add,
    })
    report.add(outcome.counts, outcome.doneBefore)
  } catch (error) {
    shutdown.signal.throwIfAborted()
    if (!(error instanceof PermanentError)) throw error
    report.fail(error.message)
  }
}

/** Messages may contain file-controlled text; strip control characters. */
function toShown(text: string): string {
  return toPlainLine(text, MAX_LINE_LENGTH)
}

function createIssues() {
  let count = 0
  return {
    add(where: string, what: string): void {
      count += 1
      if (count <= MAX_ISSUES_SHOWN) process.stderr.write(`${toShown(`${where}: ${what}`)}\n`)
    },
    tell(): void {
      if (count > MAX_ISSUES_SHOWN)
        process.stderr.write(`and ${count - MAX_ISSUES_SHOWN} more were skipped\n`)
    },
  }
}

function createReport() {
  let total: SocialImportCounts = NO_COUNTS
  let files = 0
  let filesBefore = 0
  const failures: string[] = []
  return {
    add(counts: SocialImportCounts, doneBefore: Date | null): void {
      if (doneBefore) filesBefore += 1
      else {
        files += 1
        total = addCounts(total, counts)
      }
    },
    fail(message: string): void {
      failures.push(message)
      process.stderr.write(`${toShown(message)}\n`)
    },
    /** @throws PermanentError if a file is broken. */
    tell(): void {
      const { skipped, ...objects } = total
      const parts = Object.entries(objects).map(([name, count]) => `${count} ${name}`)
      process.stdout.write(`${[...parts, `${skipped} skipped`].join(', ')}\n`)
      const before = filesBefore > 0 ? `, ${filesBefore} already imported (--again imports them again)` : ''
      process.stdout.write(`${files} files imported${before}, ${failures.length} broken\n`)
      if (failures.length > 0) throw new PermanentError('not everything could be imported')
    },
  }
}
