import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '@tollbook/runtime/config'
import type { LocateAddress } from '../geo/address-place.ts'
import { GeoFileError, openGeoData } from '../geo/geo-data.ts'

/** Opens the data for locating IP addresses. @throws ConfigError unless each is an mmdb file. */
export async function openGeo(config: Config): Promise<LocateAddress> {
  const files = config.TOLLBOOK_GEO_FILES
  const attribution = config.TOLLBOOK_GEO_ATTRIBUTION ?? null
  try {
    return await openGeoData({ files, attribution })
  } catch (error) {
    if (!(error instanceof GeoFileError)) throw error
    const position = files.indexOf(error.path) + 1
    throw new ConfigError([`TOLLBOOK_GEO_FILES: file ${position} cannot be read as an mmdb file`])
  }
}
