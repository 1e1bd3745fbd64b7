import type { Fault } from '../../catalogue/problem.ts'
import type { OpenTier } from '../../models/tiers/open-tiers.ts'
import { findBoundFaults } from './bound-input.ts'
import type { ChatOffer } from './chat-offer.ts'
import { countFetchedImages, MOST_FETCHED_IMAGES } from './inline-images.ts'
import { findLimitFaults } from './limits.ts'
import { findMessageFaults } from './messages.ts'
import { type ChatInput, findRefusedFields } from './request-fields.ts'
import { isTierName } from './tier-table.ts'
import { toModelRequest } from './to-model-request.ts'

/** Why a request cannot be served on a path, found before any payment. */
export function findChatFaults(
  input: ChatInput,
  offer: ChatOffer,
  opened: OpenTier | undefined,
): readonly Fault[] {
  const faults = [...findRefusedFields(input), ...findMessageFaults(input.messages)]
  if (faults.length > 0) return faults
  const { model } = input
  const { tier, name } = offer
  if (model && model !== tier.name && model !== name && isTierName(model)) {
    const detail = `names another tier than the path, which is that of ${name}`
    faults.push({ parameter: 'model', detail })
  }
  if (input.stream_options && !input.stream) {
    faults.push({ parameter: 'stream_options', detail: 'belongs to stream true' })
  }
  if (countFetchedImages(input.messages) > MOST_FETCHED_IMAGES) {
    faults.push({ parameter: 'messages', detail: `may name at most ${MOST_FETCHED_IMAGES} images by URL` })
  }
  const limits = offer.limitsOf(opened)
  const metering = offer.meteringOf(opened)
  faults.push(...findLimitFaults(input, limits), ...(metering ? findBoundFaults(input, metering) : []))
  return faults.length > 0 || !opened ? faults : opened.model.findUnserved(toModelRequest(input, limits))
}
