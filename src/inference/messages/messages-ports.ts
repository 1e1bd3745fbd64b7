import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import type { OpenTier } from '../../models/tiers/open-tiers.ts'

/** The name of the model of /v1/messages, in its answers and in the operator's file of models. */
export const MESSAGES_TIER = 'messages'

/** What /v1/messages reaches the world through, on whatever service it is mounted. */
export type MessagesPorts = {
  /** Undefined where the operator's file names no upstream for it. */
  readonly messages: OpenTier | undefined
  /** The way to images and documents that callers name. */
  readonly fetch: SafeFetch
}
