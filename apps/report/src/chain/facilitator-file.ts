import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Address } from '@tollbook/chain/hex'
import { walletAddress } from '@tollbook/chain/wallet-address'
import { PermanentError } from '@tollbook/flow/failure'
import {
  bundledFacilitators,
  FACILITATOR_LIST,
  type KnownFacilitator,
  knownFacilitators,
} from '@tollbook/verify/chain/facilitators'
import * as z from 'zod'

export type Facilitators = {
  /** Identifies a list: the version of the bundled one, and the changes to it. */
  readonly version: string
  readonly addresses: ReadonlySet<Address>
}

const changesSchema = z.strictObject({
  /** Part of the version; without it the version has the digest of the file. */
  name: z
    .string()
    .regex(/^[\w .:-]{1,60}$/, 'must be 1 to 60 letters, digits, spaces or . : _ -')
    .optional(),
  add: z
    .array(z.strictObject({ address: walletAddress, facilitator: z.string().max(100).optional() }))
    .default([]),
  remove: z.array(walletAddress).default([]),
})

const UNNAMED = 'unknown'

/** The names of facilitators by wallet, without wallets that were added without a name. */
export function nameFacilitators(known = listFacilitators()): ReadonlyMap<string, string> {
  const named = known.filter(({ facilitator }) => facilitator !== UNNAMED)
  return new Map(named.map(({ facilitator, address }) => [address, facilitator]))
}

/** The bundled list, with the changes of an operator's file. @throws PermanentError for an invalid file. */
export function listFacilitators(file?: string): readonly KnownFacilitator[] {
  const bundled = bundledFacilitators()
  if (file === undefined) return bundled
  const { add, remove } = parseChanges(readText(file), knownFacilitators())
  const added = add.map(({ address, facilitator = UNNAMED }) => ({ facilitator, address }))
  return [...bundled.filter(({ address }) => !remove.includes(address)), ...added]
}

/**
 * The bundled list with the changes of an operator's file.
 * @param file path of a JSON file: `{ "name": "…", "add": [{ "address": "0x…", "facilitator": "…" }],
 * "remove": ["0x…"] }`
 * @param more additional wallets, such as those of the dev chain.
 * @throws PermanentError that lists every problem of the file.
 */
export function loadFacilitators(file?: string, more: readonly string[] = []): Facilitators {
  const known = knownFacilitators(more)
  if (file === undefined) return { version: FACILITATOR_LIST, addresses: known }
  const text = readText(file)
  const { name, add, remove } = parseChanges(text, known)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const addresses = new Set([...known, ...add.map((added) => added.address)])
  for (const removed of remove) addresses.delete(removed)
  return { version: `${FACILITATOR_LIST} with ${name ?? 'changes'} ${digest}`, addresses }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new PermanentError(`the facilitators file ${file} cannot be read`, { cause: error })
  }
}

function parseChanges(text: string, known: ReadonlySet<Address>) {
  const parsed = z
    .string()
    .transform((json, context): unknown => {
      try {
        return JSON.parse(json)
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' })
        return z.NEVER
      }
    })
    .pipe(changesSchema)
    .safeParse(text)
  if (!parsed.success)
    throw toIssue(parsed.error.issues.map(({ path, message }) => [path.join('.'), message].join(' ').trim()))
  const { add, remove } = parsed.data
  const added = add.map((one) => one.address)
  const issues = [
    ...findRepeated(added).map((one) => `${one} is listed twice under add`),
    ...findRepeated(remove).map((one) => `${one} is listed twice under remove`),
    ...added.filter((one) => remove.includes(one)).map((one) => `${one} is both added and removed`),
    ...added
      .filter((one) => known.has(one))
      .map((one) => `${one} is already on the list; remove it from add`),
    ...remove
      .filter((one) => !known.has(one))
      .map((one) => `${one} is not on the list; remove it from remove`),
  ]
  if (issues.length > 0) throw toIssue(issues)
  return parsed.data
}

function findRepeated(list: readonly Address[]): readonly Address[] {
  return [...new Set(list.filter((one, at) => list.indexOf(one) !== at))]
}

function toIssue(issues: readonly string[]): PermanentError {
  return new PermanentError(`the facilitators file is invalid: ${issues.join('; ')}`)
}
