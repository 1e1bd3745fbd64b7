import type { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import type { FailureCause } from '@tollbook/gate/facilitator'
import type { ReasonKind, RefusalKind } from '@tollbook/gate/reasons'

/** Texts of FiatTokenV2_2 and selectors of the custom errors of Permit2 and the x402 proxies. */
const SIGNS: readonly (readonly [ReasonKind, RegExp])[] = [
  ['ended', /authorization is expired|0xcd21db4f/],
  ['early', /authorization is not yet valid|0xa65539fa/],
  ['used', /authorization is used or canceled|0x756688fe/],
  ['balance', /transfer amount exceeds balance/],
  ['allowance', /transfer amount exceeds allowance/],
  ['signature', /invalid signature|0x815e1d64|0x8baa579f|0x4be6321b|0xb0669cbc/],
]

/**
 * Reasons on the facilitator's side: a payment that was valid when its handler began is late, or a node lags.
 */
const OURS: ReadonlySet<ReasonKind> = new Set(['used', 'ended', 'early'])

/** Who caused a settlement to fail for such a reason after its payment was verified. */
export function causeOf(kind: ReasonKind): FailureCause {
  return OURS.has(kind) ? 'operator' : 'payer'
}

/** What such a reason means to the payer. Without `allowance`, which only the chain's state shows. */
export function refusalKindOf(kind: ReasonKind): RefusalKind {
  if (kind === 'ended' || kind === 'early') return 'lifetime'
  return kind === 'balance' ? kind : 'other'
}

/** The cause of a revert; `other` if it is not recognized. */
export function reasonKindOf(refusal: RpcRefusal): ReasonKind {
  const text = `${refusal.message} ${decodeErrorText(refusal.data)}`
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? 'other'
}

/** The text of a revert `Error(string)`, otherwise the data itself. */
function decodeErrorText(data: `0x${string}`): string {
  // Selector of Error(string), then offset and length.
  if (!data.startsWith('0x08c379a0')) return data.slice(0, 10)
  const length = Number(BigInt(`0x${data.slice(74, 138) || '0'}`))
  return Buffer.from(data.slice(138, 138 + length * 2), 'hex').toString('utf8')
}
