import { serveEngine } from '@tollbook/workers/serve-engine'
import type { DataSet } from './data-set.ts'
import { describeFile, findPlace } from './find-place.ts'
import { type LoadedFile, loadFile } from './loaded-file.ts'

export type GeoOrder =
  | { readonly kind: 'describe'; readonly path: string }
  | { readonly kind: 'find'; readonly address: string; readonly sets: readonly DataSet[] }

// The process of `geo-data.ts`.
serveEngine(async () => {
  const files = new Map<string, LoadedFile>()
  const read = (path: string) => {
    const file = files.get(path) ?? loadFile(path)
    files.set(path, file)
    return file.read()
  }
  return {
    about: null,
    async run(order) {
      const requested = order as GeoOrder
      if (requested.kind === 'describe') return describeFile({ bytes: await read(requested.path) })
      const sets = await Promise.all(
        requested.sets.map(async ({ path, name, attribution }) => ({
          bytes: await read(path),
          name,
          attribution,
        })),
      )
      return findPlace({ address: requested.address, sets })
    },
  }
})
