import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { findNetwork, NETWORKS, type Network } from '@tollbook/chain/network'
import { InvalidNetworkFile, readNetworkFile } from '@tollbook/chain/read-network-file'
import { hasChecksum } from '@tollbook/chain/wallet-address'
import { isAddressBlock } from '@tollbook/http/request/client-address'
import * as z from 'zod'

export const port = (standard: number) => z.coerce.number().int().min(0).max(65_535).default(standard)
/** Where people reach the operator. */
export const contact = z
  .string()
  .regex(/^(https?:\/\/\S+|[^\s@:/]+@[^\s@]+)$/, 'must be an e-mail address or a URL')
  .max(200)
/** As catalogues accept them. */
export const tags = z.lazy(() =>
  list.pipe(
    z
      .array(z.string().regex(/^[\x20-\x7e]{1,32}$/, 'must have at most 32 ASCII characters'))
      .min(1)
      .max(5),
  ),
)
export const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''))
export const key = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')

/** A private key, or the address of one that a remote signer holds. */
export const keyOrAddress = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})$/, 'must be 0x and 64 hex digits, or an address')
  .refine((text) => text.length === 66 || hasChecksum(text), 'does not match its EIP-55 checksum')
export const signature = z.string().regex(/^0x[0-9a-fA-F]{130}$/, 'must be 0x and 130 hex digits')
export const list = z.string().transform((text) =>
  text
    .split(/[,\r\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

/** DNS servers. */
export const serverAddresses = list.pipe(
  z
    .array(z.string().refine(isServerAddress, 'must be IP addresses, with :port where it is not 53'))
    .min(1)
    .max(10),
)

/** A host of the operator's; a password in a URL would stand in logs and errors. */
export const upstream = url.refine(
  (text) => !URL.parse(text)?.username,
  'must hold no user name and password',
)

/** Its path or query may hold a key of the operator's. */
export const browser = z.url({ protocol: /^(wss?|https?)$/ }).transform((text) => text.replace(/\/+$/, ''))

/** What stands in a header. */
export const secret = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word of ASCII')

/** `1024x1024,1536x1024`: sizes in pixels. */
export const imageSizes = list
  .pipe(z.array(z.string().regex(/^[1-9]\d{1,3}x[1-9]\d{1,3}$/, 'must be sizes such as 1024x1024')).min(1))
  .transform((texts) =>
    texts.map((text) => {
      const [width = 0, height = 0] = text.split('x').map(Number)
      return { width, height }
    }),
  )

/** `narrator=flite.slt,guide=espeak-ng.en`: names, and the voices that they stand for. */
export const voiceNames = list
  .pipe(z.array(z.string().regex(/^[^=]+=[^=]+$/, 'must be pairs such as narrator=flite.slt')))
  .transform((pairs) =>
    pairs.map((pair): readonly [string, string] => {
      const [name = '', id = ''] = pair.split('=').map((part) => part.trim())
      return [name, id]
    }),
  )

export const urls = list.pipe(z.array(url))

/** Proxies, by address or network. */
export const addressBlocks = list.pipe(
  z.array(
    z.string().superRefine((text, { addIssue }) => {
      if (!isAddressBlock(text))
        addIssue(
          `"${text}" is not an IP address or CIDR block such as 10.0.0.0/8; host names are not allowed`,
        )
    }),
  ),
)

export const ownPath = z.string().regex(/^\/[\w.~{}/-]+$/, 'must be paths that begin with /')

/**
 * `https://data.example /api/geo /api/scrape, https://proxy.example /pay/a7=/users/by/username`: hosts with the paths
 * sold there, each followed by the service's own one where that differs.
 */
export const aliases = list.pipe(
  z.array(
    z
      .string()
      .transform((text) => {
        const [baseUrl, ...paths] = text.split(/\s+/)
        const pairs = paths.map((pair) => pair.split('='))
        return { baseUrl, paths: pairs.map(([path, of = path]) => ({ path, of })) }
      })
      .pipe(
        z.object({
          baseUrl: url.refine(isOrigin, 'must be the address of a host, without a path'),
          paths: z.array(z.object({ path: ownPath, of: ownPath })).min(1, 'has no path'),
        }),
      ),
  ),
)

/** `store`, a network, or a network behind the store. */
export const socialProviders = list.pipe(
  z
    .array(z.enum(['store', 'x', 'bluesky']))
    .min(1)
    .refine(
      (names) => names.length === 1 || (names.length === 2 && names[0] === 'store' && names[1] !== 'store'),
      'must be store, one network, or store before one network',
    ),
)

/** `searchTweets=2000 *=50000`: objects a day by operation. */
export const dailyObjects = z.string().transform((text, context) => {
  const entries = text
    .trim()
    .split(/[\s,]+/)
    .map((part) => /^(\*|[a-zA-Z]+)=(\d{1,12})$/.exec(part))
  if (entries.every((entry) => entry !== null))
    return Object.fromEntries(entries.map(([, name = '', most]) => [name, Number(most)]))
  context.addIssue('must be operations with numbers, such as searchTweets=2000 *=50000')
  return z.NEVER
})

function isOrigin(text: string): boolean {
  const parsed = URL.parse(text)
  return parsed?.pathname === '/' && parsed.search === '' && parsed.hash === '' && parsed.username === ''
}

/** An IP address, with or without a port. */
function isServerAddress(text: string): boolean {
  const bare = /^(?:\[(.+)\]|([^:]+)):\d{1,5}$/.exec(text)
  return isIP(text) !== 0 || isIP(bare?.[1] ?? bare?.[2] ?? '') !== 0
}

/** A network: the name of a built-in one, or the path of a network file. */
export const network = z.string().transform((text, { addIssue }): Network => {
  const found = findNetwork(text)
  if (found) return found
  try {
    return readNetworkFile(readFileSync(text, 'utf8'))
  } catch (error) {
    for (const issue of explainNetwork(error)) addIssue(issue)
    return z.NEVER
  }
})

function explainNetwork(error: unknown): readonly string[] {
  if (error instanceof InvalidNetworkFile) return error.issues.map((issue) => `in the file: ${issue}`)
  const code = error instanceof Error && 'code' in error ? error.code : 'unreadable'
  const names = NETWORKS.map(({ nameV1 }) => nameV1).join(', ')
  return [`must be ${names} or a network file that can be read (${code})`]
}
