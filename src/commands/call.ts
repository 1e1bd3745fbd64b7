import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { loadConfig } from '../config.ts'
import { DEV_CLIENT_KEYS } from '../devchain/accounts.ts'
import { formatUsd, parseUsd } from '../money/usdc.ts'
import { type CallOutcome, type Offer, payAndCall } from './call/pay.ts'
import { type Command, UsageError } from './command.ts'

const DEFAULT_MAX_USD = '0.10'

/** `tollbook call <url>`: a paying client for people. */
export const call: Command = {
  name: 'call',
  summary: 'Call a paid endpoint: shows the price, asks, pays in USDC, prints the answer.',
  usage: '<url> [options]',
  examples: [
    "call 'http://127.0.0.1:4022/api/calc?expr=2^10' --max 0.01",
    `call http://127.0.0.1:4022/api/data/convert -d '{"data":[{"a":1}],"from":"json","to":"csv"}'`,
  ],
  options: {
    max: { type: 'string', value: 'usd', help: `most to pay, in dollars (default ${DEFAULT_MAX_USD})` },
    yes: { type: 'boolean', short: 'y', help: 'pay without asking' },
    json: { type: 'boolean', help: 'print one JSON object: status, price, transaction, body' },
    method: { type: 'string', short: 'X', value: 'method', help: 'default GET, or POST with --data' },
    data: {
      type: 'string',
      short: 'd',
      value: 'text',
      help: 'request body; @file reads a file; JSON unless a header says else',
    },
    header: {
      type: 'string',
      short: 'H',
      multiple: true,
      value: 'name: value',
      help: 'a further request header',
    },
    scheme: { type: 'string', value: 'exact|upto', help: 'take only this kind of offer' },
    account: { type: 'string', value: '0-9', help: 'which account of the dev chain pays (default 0)' },
    output: { type: 'string', short: 'o', value: 'file', help: 'write the answer to a file' },
  },
  async run({ values, positionals }) {
    const [url, ...surplus] = positionals
    if (!url || surplus.length > 0) throw new UsageError('call takes one URL')
    if (!URL.canParse(url)) throw new UsageError(`not a URL: ${url}`)
    const body = typeof values.data === 'string' ? await readBody(values.data) : undefined
    const headers = readHeaders(values.header)
    if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
    const method =
      typeof values.method === 'string' ? values.method.toUpperCase() : body === undefined ? 'GET' : 'POST'
    const abort = new AbortController()
    process.once('SIGINT', () => abort.abort(new Error('interrupted')))
    const outcome = await payAndCall({
      request: { url, method, headers, ...(body !== undefined && { body }) },
      ...readWallet(values.account),
      max: readMax(values.max),
      ...readScheme(values.scheme),
      confirm: (offer) => confirmOffer(offer, values.yes === true),
      onRetry: (reason) => process.stderr.write(`retrying: ${reason}\n`),
      signal: abort.signal,
    })
    return await print(outcome, {
      asJson: values.json === true,
      ...(typeof values.output === 'string' && { file: values.output }),
    })
  },
}

async function readBody(text: string): Promise<string | Uint8Array<ArrayBuffer>> {
  return text.startsWith('@') ? new Uint8Array(await readFile(text.slice(1))) : text
}

function readHeaders(lines: unknown): Headers {
  const headers = new Headers()
  for (const line of Array.isArray(lines) ? lines : []) {
    const match = /^([^:\s]+):\s*(.*)$/.exec(String(line))
    if (!match) throw new UsageError(`not a header: ${line}`)
    headers.append(match[1] ?? '', match[2] ?? '')
  }
  return headers
}

/**
 * A signature made for the dev chain would be valid on Base itself (both are eip155:8453), so on the dev chain
 * only its well-known accounts pay, which hold nothing on Base.
 */
function readWallet(account: unknown): { key: `0x${string}`; rpcUrl: string } {
  const config = loadConfig()
  const [realRpcUrl] = config.TOLLBOOK_CHAIN_RPC_URL ?? []
  if (realRpcUrl !== undefined) {
    if (account !== undefined)
      throw new UsageError('--account belongs to the dev chain; TOLLBOOK_CHAIN_RPC_URL is set')
    if (!config.TOLLBOOK_CALL_KEY)
      throw new UsageError('set TOLLBOOK_CALL_KEY to the key of the wallet that pays')
    return { key: config.TOLLBOOK_CALL_KEY as `0x${string}`, rpcUrl: realRpcUrl }
  }
  const key = /^\d$/.test(String(account ?? '0')) ? DEV_CLIENT_KEYS[Number(account ?? 0)] : undefined
  if (!key) throw new UsageError('--account takes a digit, 0 to 9')
  return { key, rpcUrl: `http://127.0.0.1:${config.TOLLBOOK_DEVCHAIN_PORT}` }
}

function readMax(text: unknown): bigint {
  try {
    return parseUsd(typeof text === 'string' ? text : DEFAULT_MAX_USD)
  } catch {
    throw new UsageError(`--max takes dollars, such as 0.05; not ${text}`)
  }
}

function readScheme(text: unknown): { scheme?: 'exact' | 'upto' } {
  if (text === undefined) return {}
  if (text !== 'exact' && text !== 'upto') throw new UsageError('--scheme takes exact or upto')
  return { scheme: text }
}

async function confirmOffer(offer: Offer, isAgreed: boolean): Promise<boolean> {
  const price = `${offer.scheme === 'upto' ? 'at most ' : ''}$${formatUsd(offer.amount)}`
  process.stderr.write(`${offer.description}\nprice: ${price} to ${offer.payTo}\n`)
  if (isAgreed) return true
  if (!process.stdin.isTTY) throw new UsageError('nobody is there to ask: add --yes to pay')
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question('pay? [y/N] ')).trim())
  } finally {
    prompt.close()
  }
}

async function print(outcome: CallOutcome, how: { asJson: boolean; file?: string }): Promise<number> {
  switch (outcome.kind) {
    case 'declined':
      process.stderr.write('not paid\n')
      return 1
    case 'no-offer':
      process.stderr.write(`not paid: ${outcome.reason}\n`)
      return 1
    case 'faulty':
      process.stderr.write('not paid: the request cannot be served\n')
      process.stdout.write(`${JSON.stringify(outcome.problem, null, 2)}\n`)
      return 1
    case 'unpaid':
    case 'answered':
      return await printResponse(outcome, how)
    default:
      throw new Error('unreachable', { cause: outcome satisfies never })
  }
}

async function printResponse(
  outcome: Extract<CallOutcome, { response: Response }>,
  { asJson, file }: { asJson: boolean; file?: string },
): Promise<number> {
  const { response } = outcome
  const settlement = outcome.kind === 'answered' ? outcome.settlement : null
  const paid = settlement?.success === true ? settlement : null
  const offer = outcome.kind === 'answered' ? outcome.offer : null
  const bytes = new Uint8Array(await response.arrayBuffer())
  const charged = paid && offer ? formatUsd(BigInt(paid.amount ?? offer.amount)) : null
  if (file !== undefined) await writeFile(file, bytes)
  if (asJson) {
    const body = file === undefined ? toJsonBody(bytes, response.headers.get('content-type') ?? '') : { file }
    const summary = {
      status: response.status,
      paid_usd: charged,
      transaction: paid?.transaction || null,
      ...body,
    }
    process.stdout.write(`${JSON.stringify(summary)}\n`)
  } else {
    if (file === undefined) process.stdout.write(bytes)
    const cost =
      charged === null
        ? 'not charged'
        : `paid $${charged} in ${paid?.transaction ? `transaction ${paid.transaction}` : 'no transaction'}`
    process.stderr.write(`\n${response.status} ${cost}\n`)
  }
  return response.ok ? 0 : 1
}

function toJsonBody(bytes: Uint8Array, contentType: string): Record<string, unknown> {
  const text = new TextDecoder().decode(bytes)
  if (/[/+]json\b/.test(contentType)) return { body: JSON.parse(text) as unknown }
  return /^text\//.test(contentType) ? { body: text } : { body_base64: Buffer.from(bytes).toString('base64') }
}
