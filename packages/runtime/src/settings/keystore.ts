import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { createKeccak } from 'hash-wasm'
import * as z from 'zod'

const keccak = await createKeccak(256)

/** The parameters of other programs: geth and Web3Signer use 2^18, 8, 1, which needs 256 MB. */
const MAX_SCRYPT_BYTES = 2 ** 29
const MAX_ITERATIONS = 10_000_000

const bytes = z
  .string()
  .regex(/^(?:[0-9a-f]{2})+$/i)
  .transform((text) => Buffer.from(text, 'hex'))
const count = z.int().positive()
const length = z.literal(32)
const pbkdf2 = z.object({
  dklen: length,
  c: count.max(MAX_ITERATIONS),
  prf: z.literal('hmac-sha256'),
  salt: bytes,
})
const scrypt = z.object({ dklen: length, n: count, r: count, p: count.max(64), salt: bytes })

/** Web3 Secret Storage, version 3 (https://ethereum.org/developers/docs/data-structures-and-encoding/web3-secret-storage). */
const keystore = z.object({
  version: z.literal(3),
  crypto: z.intersection(
    z.object({
      cipher: z.literal('aes-128-ctr'),
      cipherparams: z.object({ iv: bytes.refine((iv) => iv.length === 16) }),
      ciphertext: bytes.refine((text) => text.length <= 32),
      mac: bytes,
    }),
    z.discriminatedUnion('kdf', [
      z.object({ kdf: z.literal('pbkdf2'), kdfparams: pbkdf2 }),
      z.object({ kdf: z.literal('scrypt'), kdfparams: scrypt }),
    ]),
  ),
})

type Crypto = z.output<typeof keystore>['crypto']

/**
 * Decrypts the private key of a keystore file.
 * @returns the key as 0x and 64 hex digits, or why it cannot be had; neither the passphrase nor the key is part of that.
 */
export function openKeystore(
  text: string,
  passphrase: string | undefined,
): { readonly key: string } | { readonly issue: string } {
  const read = keystore.safeParse(parse(text))
  if (!read.success) return { issue: 'is no keystore of version 3 with scrypt or pbkdf2 and aes-128-ctr' }
  if (passphrase === undefined)
    return { issue: 'is a keystore: set TOLLBOOK_KEYSTORE_SECRET to its passphrase' }
  const { crypto } = read.data
  const derived = deriveKey(crypto, passphrase)
  if (derived === null) return { issue: 'is a keystore whose scrypt needs more than 512 MB' }
  const mac = keccak.init().update(derived.subarray(16, 32)).update(crypto.ciphertext).digest('binary')
  if (crypto.mac.length !== mac.length || !timingSafeEqual(crypto.mac, mac))
    return { issue: 'is a keystore with another passphrase' }
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), crypto.cipherparams.iv)
  const key = Buffer.concat([decipher.update(crypto.ciphertext), decipher.final()])
  // Some programs drop leading zeros.
  return { key: `0x${key.toString('hex').padStart(64, '0')}` }
}

function deriveKey(crypto: Crypto, passphrase: string): Buffer | null {
  if (crypto.kdf === 'pbkdf2') {
    const { c, salt, dklen } = crypto.kdfparams
    return pbkdf2Sync(passphrase, salt, c, dklen, 'sha256')
  }
  const { n, r, p, salt, dklen } = crypto.kdfparams
  // RFC 7914, section 5: 128 * r * (N + p + 2) bytes.
  const memory = 128 * r * (n + p + 2)
  if (memory > MAX_SCRYPT_BYTES) return null
  try {
    return scryptSync(passphrase, salt, dklen, { N: n, r, p, maxmem: memory })
  } catch {
    return null
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
