import type { Hex } from '@tollbook/chain/hex'
import * as z from 'zod'

/** Signatures of contract wallets contain several keys or a deployment (ERC-6492); 4 KiB is enough for those in use. */
const MAX_SIGNATURE_BYTES = 4096
const MAX_UINT256 = 2n ** 256n - 1n

export const uint256 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/, 'must be a decimal integer')
  .transform((text) => BigInt(text))
  .refine((value) => value <= MAX_UINT256, 'must fit 256 bits')

/** Times beyond 2^53 are not dates; an authorization with such a lifetime would be rejected anyway. */
export const seconds = uint256
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), 'must be epoch seconds')
  .transform(Number)

export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as Hex)

export const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as Hex)

export const signature = z
  .string()
  .max(2 + 2 * MAX_SIGNATURE_BYTES)
  .regex(/^0x([0-9a-fA-F]{2})+$/, 'must be 0x and hex bytes')
  .transform((text) => text.toLowerCase() as Hex)

/**
 * The payload of `exact` with EIP-3009 (x402 specs/schemes/exact/scheme_exact_evm.md). Strict: a facilitator
 * might settle a payload that also has another scheme's fields as something other than what was checked.
 */
export const exactPayload = z.strictObject({
  signature,
  authorization: z.strictObject({
    from: address,
    to: address,
    value: uint256,
    validAfter: seconds,
    validBefore: seconds,
    nonce: bytes32,
  }),
})

const permit2Authorization = z.strictObject({
  from: address,
  permitted: z.strictObject({ token: address, amount: uint256 }),
  spender: address,
  nonce: uint256,
  deadline: seconds,
  witness: z.strictObject({ to: address, validAfter: seconds }),
})

/** The payload of `exact` with Permit2 (x402 specs/schemes/exact/scheme_exact_evm.md). */
export const exactPermit2Payload = z.strictObject({ signature, permit2Authorization })

/** The payload of `upto` with Permit2 (x402 specs/schemes/upto/scheme_upto_evm.md). */
export const uptoPayload = z.strictObject({
  signature,
  permit2Authorization: permit2Authorization.extend({
    witness: permit2Authorization.shape.witness.extend({ facilitator: address }),
  }),
})

/** What a client adds to the extension `eip2612GasSponsoring` after signing a permit. */
export const permitInfo = z.looseObject({
  from: address,
  asset: address,
  spender: address,
  amount: uint256,
  deadline: seconds,
  signature: signature.refine((text) => text.length === 132, 'must be 65 bytes'),
})
