import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Operations with the server's keys. */
export type SessionKeys = {
  /** The second value of a session: 64 hex digits that only this server can derive from the token. */
  readonly ct0Of: (token: string) => string
  readonly isCt0Of: (token: string, ct0: string) => boolean
  /** Encrypts a text for one owner. */
  readonly seal: (text: string, owner: string) => string
  /** The text; null if it was not sealed with this key for this owner. */
  readonly open: (sealed: string, owner: string) => string | null
}

/**
 * The keys of sessions, derived from one (RFC 5869): HMAC-SHA256 for `ct0`, AES-256-GCM for a session's
 * grant, with its owner as additional authenticated data.
 * @param key 32 bytes, the same in all processes of a service.
 */
export function createSessionKeys(key: Uint8Array): SessionKeys {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key, '', use, KEY_BYTES))
  const [proving, sealing] = [derive('tollbook session ct0'), derive('tollbook session grant')]
  const ct0Of = (token: string) => createHmac('sha256', proving).update(token).digest('hex')
  return {
    ct0Of,
    isCt0Of(token, ct0) {
      // timingSafeEqual requires equal lengths.
      const [own, provided] = [ct0Of(token), ct0].map((text) => createHash('sha256').update(text).digest())
      return own !== undefined && provided !== undefined && timingSafeEqual(own, provided)
    },
    seal(text, owner) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64')
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes.length < IV_BYTES + TAG_BYTES) return null
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, IV_BYTES))
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return (
          decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        )
      } catch {
        return null
      }
    },
  }
}
