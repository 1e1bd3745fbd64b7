import type { Availability } from '../../catalogue/endpoint.ts'
import type { OpenTier } from '../../models/tiers/open-tiers.ts'

/** Whether a tier is currently available. */
export function availabilityOf(name: string, opened: OpenTier | undefined): Availability {
  if (!opened) {
    const detail = `No model is configured: the operator's file (TOLLBOOK_MODELS_FILE) has no entry for ${name}.`
    return { isAvailable: false, problem: { code: 'not_configured', detail } }
  }
  if (opened.model.isReady()) return { isAvailable: true }
  const detail = 'No upstream of this model is answering at the moment.'
  const retryAfterSeconds = opened.model.pauseSeconds()
  return { isAvailable: false, problem: { code: 'unavailable', detail, retryAfterSeconds } }
}
