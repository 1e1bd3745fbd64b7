import type { ServiceProfile } from '@tollbook/endpoints/service'
import type { Config } from '../config.ts'
import { isPaidService } from './addresses.ts'

/** What catalogues show of a service; the report service and the facilitator have no tags. */
export function profileOf(config: Config, name = ''): ServiceProfile {
  const upper = isPaidService(name) && (name.toUpperCase() as Uppercase<typeof name>)
  return {
    contact: config.TOLLBOOK_CONTACT,
    iconUrl: config.TOLLBOOK_ICON_URL,
    ...(upper && { tags: config[`TOLLBOOK_${upper}_TAGS`] }),
  }
}
