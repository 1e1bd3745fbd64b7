import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import type { OpenTier } from '../../models/tiers/open-tiers.ts'

/** The name of the model of /v1/messages, in its answers and in the operator's file of models. */
export const MESSAGES_TIER = 'messages'

/** The ports of /v1/messages, on any service that mounts it. */
export type MessagesPorts = {
  /** Undefined if the operator's file has no upstream for it. */
  readonly messages: OpenTier | undefined
  /** Fetches the images and documents that callers reference. */
  readonly fetch: SafeFetch
}
