import type { Fault } from '../../http/problem.ts'
import type { OpenTiers } from '../../models/tiers/open-tiers.ts'
import { findBoundFaults } from './bound-input.ts'
import type { ChatOffer } from './chat-offer.ts'
import { findTier } from './find-tier.ts'
import { countFetchedImages, MAX_FETCHED_IMAGES } from './inline-images.ts'
import { findLimitFaults } from './limits.ts'
import { findMessageFaults } from './messages.ts'
import { type ChatInput, findRefusedFields } from './request-fields.ts'
import { toModelRequest } from './to-model-request.ts'

/** Why a path cannot serve a request; checked before any payment. */
export function findChatFaults(input: ChatInput, offer: ChatOffer, tiers: OpenTiers): readonly Fault[] {
  const faults = [...findRefusedFields(input), ...findMessageFaults(input.messages)]
  if (faults.length > 0) return faults
  const { model } = input
  const { tier, name } = offer
  const opened = tiers.get(tier.name)
  const meant = model ? findTier(model, tiers) : null
  // Callers use the plain name of a metered path as the model.
  if (meant && (meant.tier !== tier || (meant.isMetered && !offer.isMetered))) {
    const detail = `must be the tier of the path, ${name}`
    faults.push({ parameter: 'model', detail })
  }
  if (input.stream_options && !input.stream) {
    faults.push({ parameter: 'stream_options', detail: 'requires stream true' })
  }
  if (countFetchedImages(input.messages) > MAX_FETCHED_IMAGES) {
    faults.push({
      parameter: 'messages',
      detail: `must reference at most ${MAX_FETCHED_IMAGES} images by URL`,
    })
  }
  const limits = offer.limitsOf(opened)
  const metering = offer.meteringOf(opened)
  faults.push(...findLimitFaults(input, limits), ...(metering ? findBoundFaults(input, metering) : []))
  return faults.length > 0 || !opened ? faults : opened.model.findUnserved(toModelRequest(input, limits))
}
