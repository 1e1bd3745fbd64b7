import { loadEdition, loadReport, type StoredEdition, type StoredReport } from '../editions/stored-reports.ts'
import type { State } from '../state/state.ts'

/** Reads published documents; answers of the store are cached for a moment. */
export type FreshReader = {
  /** The newest revision by default, as below. */
  report(edition: string, address: string, revision?: number): Promise<StoredReport | undefined>
  edition(edition: string, revision?: number): Promise<StoredEdition | undefined>
}

/** About 10 MB of reports of average length. */
const MAX_REPORTS = 1000
const MAX_EDITIONS = 100

/** @param freshMs how long an answer is cached; 0 queries the store each time. */
export function createFreshReader(state: State, freshMs: number): FreshReader {
  const reports = createMemory<StoredReport>(MAX_REPORTS, freshMs)
  const editions = createMemory<StoredEdition>(MAX_EDITIONS, freshMs)
  return {
    report: (edition, address, revision) =>
      reports(`${edition}/${address}/${revision ?? ''}`, () => loadReport(state, edition, address, revision)),
    edition: (edition, revision) =>
      editions(`${edition}/${revision ?? ''}`, () => loadEdition(state, edition, revision)),
  }
}

type Remembered<Value> = { readonly value: Value; readonly readAtMs: number }

/** Caches what was found. Misses are queried again, because a document may be published at any moment. */
function createMemory<Value>(max: number, freshMs: number) {
  const known = new Map<string, Remembered<Value>>()
  return async (key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> => {
    const found = known.get(key)
    if (found && performance.now() - found.readAtMs < freshMs) return found.value
    known.delete(key)
    const readAtMs = performance.now()
    const value = await load()
    if (value === undefined || freshMs === 0) return value
    const [oldest] = known.keys()
    if (known.size >= max && oldest !== undefined) known.delete(oldest)
    known.set(key, { value, readAtMs })
    return value
  }
}
