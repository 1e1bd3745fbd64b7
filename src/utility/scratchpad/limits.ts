/** Chosen: bytes of a pad's content in UTF-8. */
export const MAX_PAD_BYTES = 1024 * 1024
/** Chosen: pads of one wallet. */
export const MAX_PADS = 100
/** Chosen: space for this many pads of maximum size, including names and earlier versions. */
export const PADS_QUOTA_BYTES = MAX_PADS * MAX_PAD_BYTES
/** Chosen: the newest versions of a pad, including the current one. */
export const MAX_VERSIONS = 10
/** Chosen: content of maximum size in which every byte is written as an escape of six. */
export const MAX_BODY_BYTES = 6 * MAX_PAD_BYTES + 4096

/** Chosen: lifetime of a pad in seconds; the minimum, the maximum, and the default. */
export const TTL_SECONDS = { min: 60, max: 90 * 86_400, standard: 7 * 86_400 } as const

/** The media type of content returned raw. */
export const CONTENT_TYPES = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const
