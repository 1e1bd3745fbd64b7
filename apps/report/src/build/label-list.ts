import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Address } from '@tollbook/chain/hex'
import { walletAddress } from '@tollbook/chain/wallet-address'
import { PermanentError } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import * as z from 'zod'

export type LabelList = {
  /** The author's name for this state of the list, such as a date. */
  readonly version: string
  /** Digest of the file's bytes, hex. */
  readonly sha256: string
  readonly wallets: ReadonlySet<Address>
}

/** One SQL statement contains every labelled wallet. */
const MAX_WALLETS = 10_000
const MAX_BYTES = 5_000_000
/** Limits the error message for a file that is wrong throughout. */
const MAX_ISSUES = 10

const listSchema = z.strictObject({
  version: z.string().regex(/^[\w.:+-]{1,64}$/, 'must be 1 to 64 letters, digits or any of . : + - _'),
  wallets: z
    .array(
      z.strictObject({
        address: walletAddress,
        label: z.string().min(1).max(200),
        kind: z.enum(['exchange', 'bridge']),
        /** A reference where the label can be checked. */
        source: z.string().min(1).max(500),
      }),
    )
    .min(1)
    .max(MAX_WALLETS),
})

/** Reads a list of labelled wallets. @throws PermanentError with the name of the file and its errors. */
export function loadLabelList(path: string): LabelList {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new PermanentError(`cannot read the label list ${path}`, { cause: error })
  }
  return parseLabelList(text, path)
}

/** @param name of the file, for errors. @throws PermanentError */
export function parseLabelList(text: string, name: string): LabelList {
  const refuse = (issues: readonly string[]): never => {
    throw new PermanentError(`invalid label list ${name}: ${issues.join('; ')}`)
  }
  if (Buffer.byteLength(text) > MAX_BYTES) return refuse([`longer than ${MAX_BYTES} bytes`])
  const parsed = listSchema.safeParse(parseJson(text))
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`)
    const rest = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : []
    return refuse([...issues.slice(0, MAX_ISSUES), ...rest])
  }
  const { version, wallets } = parsed.data
  const seen = new Set<Address>()
  for (const [at, { address }] of wallets.entries()) {
    if (seen.has(address)) return refuse([`wallets.${at}.address: ${address} is already in the list`])
    seen.add(address)
  }
  return { version, sha256: createHash('sha256').update(text).digest('hex'), wallets: seen }
}
