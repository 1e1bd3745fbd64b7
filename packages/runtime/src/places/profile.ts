import type { ServiceProfile } from '@tollbook/endpoints/service'
import type { Config } from '../config.ts'

/** What catalogues show of a service; the report service and the facilitator have no tags. */
export function profileOf(config: Config, name = ''): ServiceProfile {
  return {
    contact: config.TOLLBOOK_CONTACT,
    iconUrl: config.TOLLBOOK_ICON_URL,
    tags: config.services.get(name)?.tags,
  }
}
