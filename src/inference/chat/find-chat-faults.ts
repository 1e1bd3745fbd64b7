import type { Fault } from '../../catalogue/problem.ts'
import type { OpenTiers } from '../../models/tiers/open-tiers.ts'
import { findBoundFaults } from './bound-input.ts'
import type { ChatOffer } from './chat-offer.ts'
import { findTier } from './find-tier.ts'
import { countFetchedImages, MAX_FETCHED_IMAGES } from './inline-images.ts'
import { findLimitFaults } from './limits.ts'
import { findMessageFaults } from './messages.ts'
import { type ChatInput, findRefusedFields } from './request-fields.ts'
import { toModelRequest } from './to-model-request.ts'

/** Why a request cannot be served on a path, found before any payment. */
export function findChatFaults(input: ChatInput, offer: ChatOffer, tiers: OpenTiers): readonly Fault[] {
  const faults = [...findRefusedFields(input), ...findMessageFaults(input.messages)]
  if (faults.length > 0) return faults
  const { model } = input
  const { tier, name } = offer
  const opened = tiers.get(tier.name)
  const meant = model ? findTier(model, tiers) : null
  // The plain name of a metered path is what callers take for the model.
  if (meant && (meant.tier !== tier || (meant.isMetered && !offer.isMetered))) {
    const detail = `names another tier than the path, which is that of ${name}`
    faults.push({ parameter: 'model', detail })
  }
  if (input.stream_options && !input.stream) {
    faults.push({ parameter: 'stream_options', detail: 'belongs to stream true' })
  }
  if (countFetchedImages(input.messages) > MAX_FETCHED_IMAGES) {
    faults.push({ parameter: 'messages', detail: `may name at most ${MAX_FETCHED_IMAGES} images by URL` })
  }
  const limits = offer.limitsOf(opened)
  const metering = offer.meteringOf(opened)
  faults.push(...findLimitFaults(input, limits), ...(metering ? findBoundFaults(input, metering) : []))
  return faults.length > 0 || !opened ? faults : opened.model.findUnserved(toModelRequest(input, limits))
}
