import { type Config, ConfigError } from '../../config.ts'
import type { LocateAddress } from '../../utility/geo/address-place.ts'
import { GeoFileError, openGeoData } from '../../utility/geo/geo-data.ts'
import type { WorkerPool } from '../../workers/pool.ts'

/**
 * Opens the data for locating IP addresses.
 * @throws ConfigError if a configured file is not an mmdb file.
 */
export async function openGeo(config: Config, workers: WorkerPool): Promise<LocateAddress> {
  const files = config.TOLLBOOK_GEO_FILES
  const attribution = config.TOLLBOOK_GEO_ATTRIBUTION ?? null
  try {
    return await openGeoData({ files, attribution, workers })
  } catch (error) {
    if (!(error instanceof GeoFileError)) throw error
    const position = files.indexOf(error.path) + 1
    throw new ConfigError([`TOLLBOOK_GEO_FILES: file ${position} cannot be read as an mmdb file`])
  }
}
