/**
 * Thrown for an image that is corrupt, too large once decoded, or of an unsupported format; the message is
 * for the caller.
 */
export class Undecodable extends Error {
  override name = 'Undecodable'
}

/** Maximum number of pixels of an image; decoding holds several copies of 4 bytes per pixel. */
export const MAX_PIXELS = 40_000_000
