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

/** Allows for a large file on a slow disk, and the workers' start. */
const OPEN_MS = 30_000

export type GeoOptions = {
  /** The operator's own files, which take precedence. */
  readonly files: readonly string[]
  /** The attribution that the licence of these files requires; null: the known one of their authors. */
  readonly attribution: string | null
  readonly workers: WorkerPool
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
 * Opens the operator's files and finds those of installed packages, which are read on first use.
 * @throws GeoFileError if a file of the operator is not an mmdb file.
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
        // An IPv6 tree also contains IPv4 addresses.
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
    const usable = sources.filter((source) => source.family === null || source.family === family)
    const sets = await Promise.all(
      usable.map(async ({ file, name, attribution: credit }) => ({
        bytes: await file.read(),
        name,
        attribution: credit,
      })),
    )
    return workers.run(findPlace, { address, sets }, signal)
  }
}

type Source = DataSet & { readonly file: LoadedFile }
