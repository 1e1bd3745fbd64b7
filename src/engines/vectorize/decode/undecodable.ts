/** A picture that is broken, too large once unpacked, or of a form that is not read; the message is for the caller. */
export class Undecodable extends Error {
  override name = 'Undecodable'
}

/** Pixels of a picture, at most: 4 bytes each are held a few times over. */
export const MAX_PIXELS = 40_000_000
