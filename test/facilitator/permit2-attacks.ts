import { CONTRACTS } from '@tollbook/chain/contracts'
import type { toBody } from './facilitator-stage.ts'

type Body = ReturnType<typeof toBody>

const OTHER = `0x${'6e'.repeat(20)}` as const

/** The payload of a payment by Permit2, to be changed. */
export const signed = (body: Body) =>
  body.paymentPayload.payload as {
    signature: string
    permit2Authorization: Record<string, unknown> & {
      permitted: Record<string, unknown>
      witness: Record<string, unknown>
    }
  }
const permitOf = (body: Body) =>
  (
    body.paymentPayload as unknown as {
      extensions: { eip2612GasSponsoring: { info: Record<string, unknown> } }
    }
  ).extensions.eip2612GasSponsoring.info

/** What is changed in the request to settle a payment by Permit2: its name, and the reason of its refusal. */
export const PERMIT2_ATTACKS: readonly [string, string, (body: Body) => unknown][] = [
  [
    'another spender',
    'invalid_permit2_spender',
    (body) => set(signed(body).permit2Authorization, 'spender', CONTRACTS.uptoPermit2Proxy),
  ],
  [
    'another payee',
    'invalid_permit2_recipient_mismatch',
    (body) => set(body.paymentRequirements, 'payTo', OTHER),
  ],
  ['a higher price', 'permit2_amount_mismatch', (body) => set(body.paymentRequirements, 'amount', '1501')],
  ['a lower price', 'permit2_amount_mismatch', (body) => set(body.paymentRequirements, 'amount', '1499')],
  [
    'another token',
    'permit2_token_mismatch',
    (body) => set(signed(body).permit2Authorization.permitted, 'token', OTHER),
  ],
  [
    'a forged signature',
    'invalid_permit2_signature',
    (body) => set(signed(body), 'signature', `0x${'11'.repeat(64)}1b`),
  ],
  [
    'another nonce under the signature',
    'invalid_permit2_signature',
    (body) => set(signed(body).permit2Authorization, 'nonce', '77'),
  ],
  [
    'another start under the signature',
    'invalid_permit2_signature',
    (body) => set(signed(body).permit2Authorization.witness, 'validAfter', '1'),
  ],
  [
    'another payer under the signature',
    'invalid_permit2_signature',
    (body) => set(signed(body).permit2Authorization, 'from', OTHER),
  ],
  [
    'a malformed permit',
    'invalid_eip2612_extension_format',
    (body) => set(permitOf(body), 'signature', '0x12'),
  ],
  ['the permit of another wallet', 'eip2612_from_mismatch', (body) => set(permitOf(body), 'from', OTHER)],
  ['a permit for another token', 'eip2612_asset_mismatch', (body) => set(permitOf(body), 'asset', OTHER)],
  [
    'a permit for another spender',
    'eip2612_spender_not_permit2',
    (body) => set(permitOf(body), 'spender', OTHER),
  ],
  [
    'a permit for another amount',
    'permit2_2612_amount_mismatch',
    (body) => set(permitOf(body), 'amount', '1'),
  ],
  [
    'a permit that ends',
    'eip2612_deadline_expired',
    (body) => set(permitOf(body), 'deadline', String(Math.floor(Date.now() / 1000) + 5)),
  ],
]

function set(target: object, key: string, value: unknown): void {
  Object.assign(target, { [key]: value })
}
