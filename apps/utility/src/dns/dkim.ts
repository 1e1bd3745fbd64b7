import { createPublicKey } from 'node:crypto'
import type { DnsResolver } from './dns-resolver.ts'

/** A public key for signatures of a domain's mail (RFC 6376 section 3.6.1). */
export type DkimKey = {
  readonly selector: string
  readonly record: string
  /** `rsa` or `ed25519`. */
  readonly key_type: string
  /** Null if the key is revoked, unreadable or of more than 8,192 bits. */
  readonly key_bits: number | null
  /** An empty key revokes the selector: none of its signatures is valid. */
  readonly revoked: boolean
}

export type Dkim = { readonly probed: number; readonly found: readonly DkimKey[] }

/** Selectors that large senders and mail hosts use; a domain's own cannot be listed, only guessed. */
export const KNOWN_SELECTORS: readonly string[] = [
  'default',
  'dkim',
  'mail',
  'email',
  'smtp',
  'key1',
  'key2',
  's1',
  's2',
  'selector1',
  'selector2',
  'google',
  '20161025',
  '20210112',
  '20221208',
  '20230601',
  'k1',
  'k2',
  'k3',
  'mandrill',
  'mxvault',
  'everlytickey1',
  'everlytickey2',
  'fm1',
  'fm2',
  'fm3',
  'protonmail',
  'protonmail2',
  'protonmail3',
  'zoho',
  'zmail',
  'sig1',
  'pic',
  'pm',
  'mg',
  'mailjet',
  'sendgrid',
  'sm',
  'amazonses',
  'hs1',
  'hs2',
  'cm',
  'dk',
  'x',
  'mx',
  'titan1',
  'titan2',
  'turbo-smtp',
  'brevo1',
  'brevo2',
  'resend',
  'postmark',
]

/**
 * An RSA key of 8,192 bits has 1,062 bytes; verifiers need to support 4,096 (RFC 8301 section 3.2). OpenSSL converts
 * a number in a time that grows with the square of its length: up to a second for one record of 64 kB.
 */
const MAX_KEY_BYTES = 1_100

/** Queries the key of each selector; selectors without one are omitted. */
export async function probeDkim(
  domain: string,
  { selectors, resolver }: { readonly selectors: readonly string[]; readonly resolver: DnsResolver },
): Promise<Dkim> {
  const probed = [...new Set(selectors)]
  const keys = await Promise.all(
    probed.map(async (selector) => {
      const { records } = await resolver.txt(`${selector}._domainkey.${domain}`)
      const record = records.find((text) => /(?:^|;)\s*p\s*=/.test(text))
      return record === undefined ? null : parseKey(selector, record)
    }),
  )
  return { probed: probed.length, found: keys.filter((key) => key !== null) }
}

export function parseKey(selector: string, record: string): DkimKey {
  const tag = (name: string) => new RegExp(`(?:^|;)\\s*${name}\\s*=([^;]*)`).exec(record)?.[1]?.trim()
  const type = tag('k')?.toLowerCase() || 'rsa'
  const base64 = (tag('p') ?? '').replace(/\s+/g, '')
  const bits = base64 === '' ? null : countBits(type, base64)
  return { selector, record, key_type: type, key_bits: bits, revoked: base64 === '' }
}

function countBits(type: string, base64: string): number | null {
  const bytes = Buffer.from(base64, 'base64')
  // RFC 8463 section 3: the 32 bytes themselves.
  if (type === 'ed25519') return bytes.length === 32 ? 256 : null
  if (bytes.length > MAX_KEY_BYTES) return null
  try {
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.modulusLength ?? null
  } catch {
    return null
  }
}
