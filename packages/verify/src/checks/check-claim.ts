import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { WalletSignatures } from '@tollbook/chain/wallet-signatures'
import * as z from 'zod'
import { UnusableDocument } from '../published/failure.ts'
import type { ReportInputs } from '../published/inputs.ts'
import { readPriceResource } from '../published/price-resource.ts'
import { type Check, compare } from './check.ts'

/** A published claim: the text that the wallet signed, the signature, and when it was accepted. */
const recordShape = z.looseObject({
  message: z.string().max(16_384).nullable(),
  signature: z
    .string()
    .max(32_768)
    .regex(/^0x(?:[0-9a-f]{2})+$/)
    .nullable(),
  made_at: z.string().nullable(),
})

export type ClaimRecord = {
  readonly message: string
  readonly signature: Hex
  /** Epoch ms; NaN when the record contains none. */
  readonly madeAt: number
}

/** Parses a claim record; null when it states that there is none. @throws UnusableDocument */
export function parseClaimRecord(document: unknown): ClaimRecord | null {
  const parsed = recordShape.safeParse(document)
  if (!parsed.success) throw new UnusableDocument('the claim record contains no signed text')
  const { message, signature, made_at: madeAt } = parsed.data
  if (message === null || signature === null) return null
  return { message, signature: signature as Hex, madeAt: Date.parse(madeAt ?? '') }
}

export const DISCLOSED_FIELD = 'inputs.disclosed_wallets'

export type ClaimToCheck = {
  readonly inputs: ReportInputs
  /** Null when none is published; undefined when it could not be read. */
  readonly record: ClaimRecord | null | undefined
  readonly wallets: WalletSignatures
}

/**
 * Checks that the wallet signed its claim, the wallets that the inputs list as its own, and its highest
 * price; `not_checked` if a newer claim does not confirm them: the earlier one is no longer published.
 */
export async function checkClaim(
  { inputs, record, wallets }: ClaimToCheck,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const claimed = { field: 'inputs.claimed', published: inputs.claimed }
  const disclosed = { field: DISCLOSED_FIELD, published: inputs.disclosed_wallets.join(', ') }
  const stated = { field: 'inputs.max_price', published: inputs.max_price }
  const leaveOpen = (note: string): readonly Check[] => [
    { ...claimed, verdict: 'not_checked', note },
    { ...disclosed, verdict: 'not_checked', note },
    ...(inputs.max_price === undefined ? [] : [{ ...stated, verdict: 'not_checked' as const, note }]),
  ]
  if (record === undefined) return leaveOpen('the claim record could not be read')
  const signed = record && readSignedText(record.message)
  const signer = inputs.address as Address
  const isSigned =
    record !== null &&
    signed?.address === signer &&
    (await wallets.isSignedBy({ address: signer, ...record }, signal))
  const isClaim = isSigned && signed?.isClaim === true
  const maxPrice = isClaim ? signed.maxPrice?.toString() : undefined
  const note =
    record === null ? 'no signed claim is published' : isSigned ? undefined : 'not signed by this wallet'
  const why = note === undefined ? {} : { note }
  const checks = [
    compare({ ...claimed, expected: isClaim, ...why }),
    compare({ ...disclosed, expected: expectWallets(inputs, isClaim ? signed.disclosures : []), ...why }),
    ...(inputs.max_price === undefined && !maxPrice
      ? []
      : [compare({ ...stated, expected: maxPrice, ...why })]),
  ]
  const isYounger = record !== null && isSigned && madeAtOf(record, signed) > Date.parse(inputs.generated_at)
  const differs = checks.some(({ verdict }) => verdict === 'differs')
  return isYounger && differs ? leaveOpen('the wallet has signed another text since') : checks
}

/** The wallets of a claim and those that the publisher names as its own. */
function expectWallets(inputs: ReportInputs, signed: readonly Address[]): string {
  return [...new Set<string>([...signed, ...(inputs.operator_wallets ?? [])])].sort().join(', ')
}

/** When a text was accepted, which cannot be after it expired. */
function madeAtOf({ madeAt }: ClaimRecord, signed: SignedText | null): number {
  const expiresAt = signed?.expiresAt ?? Number.NaN
  return Number.isNaN(expiresAt) ? madeAt : Math.min(madeAt, expiresAt)
}

type SignedText = {
  readonly address: Address
  readonly isClaim: boolean
  /** Epoch ms; NaN when the text contains no time. */
  readonly expiresAt: number
  /** Ascending. */
  readonly disclosures: readonly Address[]
  readonly maxPrice: AtomicUsdc | undefined
}

const EXPIRES = 'Expiration Time: '

/** The content of a signed text (EIP-4361); null when it is not one. */
function readSignedText(message: string): SignedText | null {
  const lines = message.split('\n')
  const address = lines[1] ?? ''
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return null
  const resources = lines.slice(lines.indexOf('Resources:') + 1)
  const disclosures = resources.flatMap((line) => {
    const match = /^- did:pkh:eip155:8453:(0x[0-9a-fA-F]{40})$/.exec(line)
    return match?.[1] ? [match[1].toLowerCase() as Address] : []
  })
  const expiresAt = lines.find((line) => line.startsWith(EXPIRES))?.slice(EXPIRES.length)
  return {
    address: address.toLowerCase() as Address,
    isClaim: /^I claim the Tollbook report of this wallet\./.test(lines[3] ?? ''),
    expiresAt: Date.parse(expiresAt ?? ''),
    disclosures: disclosures.sort(),
    maxPrice: resources.map((line) => readPriceResource(line.slice(2))).find((price) => price !== null),
  }
}
