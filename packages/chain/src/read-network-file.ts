import { parseJson } from '@tollbook/flow/parse-json'
import * as z from 'zod'
import { toChecksumAddress } from './checksum-address.ts'
import { findNetwork, type Network } from './network.ts'
import { walletAddress } from './wallet-address.ts'

const WEEK_SECONDS = 604_800
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''))
/** Solidity stores a text of that length in one slot, where the local chain writes it. */
const MAX_TOKEN_BYTES = 31
const text = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
const tokenText = text.refine(
  (value) => Buffer.byteLength(value) <= MAX_TOKEN_BYTES,
  `must have at most ${MAX_TOKEN_BYTES} bytes`,
)

/** A network in a file of somebody's own. */
const networkFile = z.strictObject(
  {
    name: z
      .string('must be a text')
      .max(40, 'must have at most 40 characters')
      .regex(NAME, 'must be lower-case words with hyphens, such as my-chain')
      .refine((name) => !findNetwork(name), 'is the name of a built-in network'),
    title: text,
    chain_id: z
      .int('must be a whole number')
      .positive('must be above 0')
      .refine((id) => !findNetwork(`eip155:${id}`), 'is the id of a built-in network'),
    is_test: z.boolean('must be true, or false if its money has a value'),
    token: z.strictObject(
      {
        address: z.string('must be an address').pipe(walletAddress),
        name: tokenText,
        version: tokenText,
        decimals: z.literal(6, 'must be 6: amounts are micro-dollars'),
      },
      'must be an object with address, name, version and decimals',
    ),
    explorer_url: httpUrl,
    block_seconds: z.number('must be a number').positive('must be above 0').max(600, 'must be at most 600'),
    genesis_seconds: z.int('must be a whole number').positive('must be above 0').optional(),
    finality: z.enum(['tags', 'latest'], 'must be tags or latest').default('tags'),
  },
  'must be a JSON object',
)

/** A network file that cannot be used; `issues` name its fields. */
export class InvalidNetworkFile extends Error {
  readonly issues: readonly string[]

  constructor(issues: readonly string[]) {
    super(issues.join('; '))
    this.name = 'InvalidNetworkFile'
    this.issues = issues
  }
}

/**
 * Reads the JSON of a network that is not built in: any EVM chain with a dollar token of EIP-3009 and six decimals.
 * @throws InvalidNetworkFile
 */
export function readNetworkFile(json: string): Network {
  const value = parseJson(json)
  if (value === undefined) throw new InvalidNetworkFile(['is not JSON'])
  const parsed = networkFile.safeParse(value)
  if (!parsed.success) throw new InvalidNetworkFile(parsed.error.issues.flatMap(describeIssue))
  const { chain_id: chainId, token, finality, block_seconds: blockSeconds, ...read } = parsed.data
  return Object.freeze({
    chainId,
    id: `eip155:${chainId}`,
    nameV1: read.name,
    title: read.title,
    isTest: read.is_test,
    usdc: toChecksumAddress(token.address),
    usdcName: token.name,
    usdcVersion: token.version,
    decimals: token.decimals,
    explorerUrl: read.explorer_url,
    safeTag: finality === 'latest' ? 'latest' : 'safe',
    finalTag: finality === 'latest' ? 'latest' : 'finalized',
    genesisSeconds: read.genesis_seconds ?? null,
    blockSeconds,
    weekBlocks: Math.round(WEEK_SECONDS / blockSeconds),
  })
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const at = (names: readonly PropertyKey[]) => names.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${at([...issue.path, key])}: no such field`)
  return [issue.path.length === 0 ? issue.message : `${at(issue.path)}: ${issue.message}`]
}
