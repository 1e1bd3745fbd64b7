import type { ServiceName, ServiceProfile } from '../../catalogue/service.ts'
import type { Config } from '../../config.ts'

/** What catalogues show of a service; the report service and the facilitator have no tags. */
export function profileOf(config: Config, name?: ServiceName): ServiceProfile {
  const upper = name?.toUpperCase() as Uppercase<ServiceName> | undefined
  return {
    contact: config.TOLLBOOK_CONTACT,
    iconUrl: config.TOLLBOOK_ICON_URL,
    ...(upper && { tags: config[`TOLLBOOK_${upper}_TAGS`] }),
  }
}
