export type PlaceZones = {
  readonly name: string
  /** Other zones that are also in use there. */
  readonly alternatives: readonly string[]
  readonly kind: 'territory' | 'sea' | 'pole'
}

/** Finds the zones of a place, in degrees. */
export type ZoneMap = (lat: number, lon: number) => PlaceZones

/** Max zone outlines that a process caches. */
const MAX_TILES = 32

let loaded: Promise<ZoneMap> | undefined

/** Loads the index of the map, 1 MB, on first use; outlines are read from its file on demand. */
export function loadZoneMap(): Promise<ZoneMap> {
  loaded ??= openMap()
  return loaded
}

async function openMap(): Promise<ZoneMap> {
  const { find, setCache } = await import('geo-tz/all')
  // Without this, it would cache every outline that it has read.
  setCache({ store: createTileCache() })
  return (lat, lon) => {
    // All zones meet at the North Pole, which is at sea. The South Pole is on land.
    if (lat === 90) return { name: 'Etc/UTC', alternatives: [], kind: 'pole' }
    const [name = 'Etc/UTC', ...alternatives] = find(lat, lon)
    return { name, alternatives, kind: name.startsWith('Etc/') ? 'sea' : 'territory' }
  }
}

/** Caches the most recently used entries. */
function createTileCache() {
  const tiles = new Map<string, unknown>()
  return {
    get(key: string): unknown {
      const tile = tiles.get(key)
      if (tile === undefined) return undefined
      tiles.delete(key)
      tiles.set(key, tile)
      return tile
    },
    set(key: string, tile: unknown): void {
      tiles.set(key, tile)
      const [oldest] = tiles.keys()
      if (tiles.size > MAX_TILES && oldest !== undefined) tiles.delete(oldest)
    },
  }
}
