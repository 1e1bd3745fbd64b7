import { isIP } from 'node:net'
import { defineJob } from '../../workers/job.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import type { LocateAddress } from './address-place.ts'
import { type DataSet, findPackagedSets } from './data-set.ts'
import { type LoadedFile, loadShared } from './loaded-file.ts'

type Jobs = typeof import('./find-place.ts')
const module = new URL('./find-place.ts', import.meta.url)
const findPlace = defineJob<Jobs['findPlace']>({ module, name: 'findPlace', deadlineMs: 8_000 })
const describeFile = defineJob<Jobs['describeFile']>({ module, name: 'describeFile', deadlineMs: 20_000 })

/** A large file on a slow disk, and the workers' start. */
const OPEN_MS = 30_000

export type GeoOptions = {
  /** The operator's own files, which are asked first. */
  readonly files: readonly string[]
  /** What the licence of these files asks to be said; null: what their makers are known to ask. */
  readonly attribution: string | null
  readonly workers: WorkerPool
}

/** A file of the operator's that cannot be used. */
export class GeoFileError extends Error {
  readonly path: string
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read as an mmdb file`, { cause })
    this.name = 'GeoFileError'
    this.path = path
  }
}

/**
 * Opens the operator's files and finds those that packages brought, which are read when they are first needed.
 * @throws GeoFileError for a file of the operator's that is none.
 */
export async function openGeoData({ files, attribution, workers }: GeoOptions): Promise<LocateAddress> {
  const own = await Promise.all(
    files.map(async (path): Promise<Source> => {
      const file = loadShared(path)
      try {
        const { ipVersion } = await workers.run(
          describeFile,
          { bytes: await file.read() },
          AbortSignal.timeout(OPEN_MS),
        )
        // A tree of IPv6 holds IPv4 addresses as well.
        return { path, file, name: null, attribution, family: ipVersion === 4 ? 4 : null }
      } catch (error) {
        throw new GeoFileError(path, error)
      }
    }),
  )
  const packaged = findPackagedSets().map((set): Source => ({ ...set, file: loadShared(set.path) }))
  const sources = [...own, ...packaged]
  return async (address, signal) => {
    const family = isIP(address)
    const asked = sources.filter((source) => source.family === null || source.family === family)
    const sets = await Promise.all(
      asked.map(async ({ file, name, attribution: credit }) => ({
        bytes: await file.read(),
        name,
        attribution: credit,
      })),
    )
    return workers.run(findPlace, { address, sets }, signal)
  }
}

type Source = DataSet & { readonly file: LoadedFile }
