import { isIP } from 'node:net'
import { startDeadline } from '@tollbook/flow/deadline'
import { ProblemError } from '@tollbook/http/problem'
import { createEngineProcess } from '@tollbook/workers/engine-process'
import type { AddressPlace, LocateAddress } from './address-place.ts'
import { type DataSet, findPackagedSets } from './data-set.ts'
import type { GeoOrder } from './geo-engine.ts'

/** Allows for a large file on a slow disk, and the start of the process. */
const OPEN_MS = 60_000
/** A lookup takes less than a millisecond, unless a file is read first or is damaged. */
const LOOKUP_MS = 8_000

export type GeoOptions = {
  /** The operator's own files, which take precedence. */
  readonly files: readonly string[]
  /** The attribution that the licence of these files requires; null: the known one of their authors. */
  readonly attribution: string | null
}

/** A file of the operator that cannot be used. */
export class GeoFileError extends Error {
  readonly path: string
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read as an mmdb file`, { cause })
    this.name = 'GeoFileError'
    this.path = path
  }
}

/**
 * Opens the operator's files and finds those of installed packages, which are read on first use, in a process of
 * their own: it holds their content once, and a damaged file may take long.
 * @throws GeoFileError if a file of the operator is not an mmdb file.
 */
export async function openGeoData({ files, attribution }: GeoOptions): Promise<LocateAddress> {
  const module = new URL('./geo-engine.ts', import.meta.url)
  const engine = createEngineProcess({ module, settings: null, stopMs: 0, retryMs: 0 })
  const run = async (order: GeoOrder, { limitMs, caller }: Limits) => {
    const { signal, clear } = startDeadline(limitMs, caller, toLate)
    try {
      return await engine.run(order, { signal })
    } finally {
      clear()
    }
  }
  const own = await Promise.all(
    files.map(async (path): Promise<DataSet> => {
      try {
        const { ipVersion } = (await run({ kind: 'describe', path }, { limitMs: OPEN_MS })) as FileSummary
        // An IPv6 tree also contains IPv4 addresses.
        return { path, name: null, attribution, family: ipVersion === 4 ? 4 : null }
      } catch (error) {
        throw new GeoFileError(path, error)
      }
    }),
  )
  const sets = [...own, ...findPackagedSets()]
  return async (address, caller) => {
    const family = isIP(address)
    const usable = sets.filter((set) => set.family === null || set.family === family)
    const found = await run({ kind: 'find', address, sets: usable }, { limitMs: LOOKUP_MS, caller })
    // What the process's module returns.
    return found as AddressPlace | null
  }
}

type Limits = { readonly limitMs: number; readonly caller?: AbortSignal }
type FileSummary = ReturnType<typeof import('./find-place.ts').describeFile>

function toLate(): ProblemError {
  return new ProblemError({
    code: 'upstream_timeout',
    detail: 'Finding the place of the address takes too long.',
  })
}
