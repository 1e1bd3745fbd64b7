import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an `Authorization` header is `Bearer` (RFC 6750, section 2.1) with one of these keys. */
export function hasBearerKey(authorization: string | null | undefined, keys: readonly string[]): boolean {
  const provided = hash(/^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '')
  return keys.some((key) => timingSafeEqual(hash(key), provided))
}

/** Hashes have one length, so a comparison takes the same time for every key. */
function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
