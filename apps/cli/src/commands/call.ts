import { access, constants, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formatUsd } from '@tollbook/chain/usdc'
import { toPlainLine } from '@tollbook/flow/text/plain-line'
import { UsageError } from '@tollbook/flow/usage-error'
import { chargeOf, type Offer, type PaymentScheme, readSettlement } from '@tollbook/pay/offer'
import { type CallOutcome, DEFAULT_MAX_USD, payAndCall, readWhole, sendPaid } from '@tollbook/pay/pay'
import type { SignedPayment } from '@tollbook/pay/requested'
import { loadConfig } from '@tollbook/runtime/config'
import { askToPay, requireTerminal } from './call/confirm.ts'
import { readBody } from './call/read-body.ts'
import { readUsd, readWallet } from './call/wallet.ts'
import { type Command, NETWORK_OPTION } from './command.ts'

/** The service's description is printed above the payment prompt and must not overwrite it. */
const MAX_LINE_LENGTH = 1_000

export const call: Command = {
  name: 'call',
  usage: '<url> [options]',
  examples: [
    "call 'http://127.0.0.1:4022/api/calc?expr=2^10' --max 0.01",
    `call http://127.0.0.1:4022/api/data/convert -d '{"data":[{"a":1}],"from":"json","to":"csv"}'`,
    'call http://127.0.0.1:4023/v1/audio/transcriptions -F file=@talk.wav -F response_format=text',
    `call http://127.0.0.1:4023/v1/audio/speech -d '{"input":"Hello.","voice":"alloy"}' -o hello.mp3`,
  ],
  notes: [
    'Payment messages go to standard error; standard output contains only the answer.',
    'The local chain of tollbook start has ten accounts with worthless money; on another chain',
    'TOLLBOOK_CALL_KEY pays.',
  ],
  exitCodes: { 1: 'not paid, or refused by the service' },
  options: {
    max: {
      type: 'string',
      value: 'usd',
      help: `maximum price, and deposit, in dollars (default ${DEFAULT_MAX_USD})`,
    },
    yes: { type: 'boolean', short: 'y', help: 'pay without confirmation' },
    json: { type: 'boolean', help: 'print one JSON object: status, price, transaction, body' },
    method: { type: 'string', short: 'X', value: 'method', help: 'default GET, or POST with a body' },
    data: {
      type: 'string',
      short: 'd',
      value: 'text',
      help: 'request body, JSON unless a header says otherwise; @file sends the bytes of a file, @- those of standard input',
    },
    form: {
      type: 'string',
      short: 'F',
      multiple: true,
      value: 'name=value',
      help: 'a part of a form, as in curl: name=@file sends a file, name=<file its text; ;type= sets its content type',
    },
    header: {
      type: 'string',
      short: 'H',
      multiple: true,
      value: 'name: value',
      help: 'an additional request header',
    },
    scheme: {
      type: 'string',
      value: 'exact|upto|batch-settlement',
      help: 'accept only this payment scheme; batch-settlement pays from a channel, with a deposit first',
    },
    account: { type: 'string', value: '0-9', help: 'the account of the dev chain that pays (default 0)' },
    ...NETWORK_OPTION,
    output: {
      type: 'string',
      short: 'o',
      value: 'file',
      help: 'write the answer to a file; an error is printed',
    },
  },
  async run({ values, positionals }) {
    const [url, ...surplus] = positionals
    if (!url || surplus.length > 0) throw new UsageError('call needs exactly one URL')
    if (!URL.canParse(url)) throw new UsageError(`not a URL: ${url}`)
    const headers = readHeaders(values.header)
    if (typeof values.output === 'string') await requireWritable(values.output)
    const body = await readBody(readText(values.data), readTexts(values.form))
    if (body && !headers.has('content-type')) headers.set('content-type', body.contentType)
    const method =
      typeof values.method === 'string' ? values.method.toUpperCase() : body === undefined ? 'GET' : 'POST'
    const abort = new AbortController()
    process.once('SIGINT', () => abort.abort(new Error('interrupted')))
    const waiting = createWaitingLine()
    const signed: { payment?: SignedPayment } = {}
    const sent = {
      request: { url, method, headers, ...(body && { body: body.bytes }) },
      onRetry: (reason: string) => void process.stderr.write(`retrying: ${reason}\n`),
      signal: abort.signal,
    }
    try {
      const outcome = await payAndCall({
        ...sent,
        ...readWallet(loadConfig(), values.account),
        max: readUsd(values.max ?? DEFAULT_MAX_USD, '--max'),
        ...readScheme(values.scheme),
        confirm: async (offer) => {
          const isConfirmed = await confirmOffer(offer, values.yes === true)
          if (isConfirmed) waiting.start()
          return isConfirmed
        },
        onSigned: async (payment) => {
          signed.payment = payment
          return true
        },
      }).finally(waiting.end)
      const { payment } = signed
      return await printOutcome(outcome, {
        asJson: values.json === true,
        ...(typeof values.output === 'string' && { file: values.output }),
        ...(payment && { again: () => sendPaid(sent, payment) }),
      })
    } catch (error) {
      if (signed.payment)
        process.stderr.write('the payment was signed and may be charged; the same command pays again\n')
      throw error
    }
  },
}

/** An answer that cannot be written would be lost, and paid for. */
async function requireWritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found?.isDirectory()) throw new UsageError(`--output ${file} is a folder`)
  await access(found ? file : dirname(file), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--output ${file} cannot be written (${error.code})`)
  })
}

/** On a terminal, says how long the answer takes, once it takes two seconds. */
function createWaitingLine(screen: NodeJS.WriteStream = process.stderr) {
  let timer: NodeJS.Timeout | undefined
  return {
    start: () => {
      const startedMs = Date.now()
      const draw = () => {
        const seconds = Math.round((Date.now() - startedMs) / 1000)
        if (seconds >= 2) screen.write(`\r\x1b[2Kwaiting for the answer: ${seconds} s`)
      }
      if (screen.isTTY) timer = setInterval(draw, 1000)
    },
    end: () => {
      clearInterval(timer)
      if (timer) screen.write('\r\x1b[2K')
    },
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function readTexts(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.map(String) : []
}

function readHeaders(lines: unknown): Headers {
  const headers = new Headers()
  for (const line of readTexts(lines)) {
    const match = /^([^:\s]+):\s*(.*)$/.exec(line)
    if (!match) throw new UsageError(`not a header: ${line} (expected name: value)`)
    headers.append(match[1] ?? '', match[2] ?? '')
  }
  return headers
}

function readScheme(text: unknown): { scheme?: PaymentScheme } {
  if (text === undefined) return {}
  if (text !== 'exact' && text !== 'upto' && text !== 'batch-settlement')
    throw new UsageError('--scheme must be exact, upto or batch-settlement')
  return { scheme: text }
}

async function confirmOffer(offer: Offer, isAgreed: boolean): Promise<boolean> {
  const price = `${offer.scheme === 'upto' ? 'at most ' : ''}$${formatUsd(offer.amount)}`
  const description = toPlainLine(offer.description, MAX_LINE_LENGTH)
  process.stderr.write(`${description}\nprice: ${price} to ${toPlainLine(offer.payTo, MAX_LINE_LENGTH)}\n`)
  if (offer.deposit !== undefined)
    process.stderr.write(
      `deposit: $${formatUsd(offer.deposit)}, if its channel holds less than the price; unspent money stays yours\n`,
    )
  if (isAgreed) return true
  requireTerminal()
  return askToPay()
}

/** Applies to texts of the service. */
const MAX_OUTCOME_LINE = 4_000

type Printing = {
  readonly asJson: boolean
  readonly file?: string
  /** Sends the same payment again; absent without one. */
  readonly again?: () => Promise<Response>
}

/** Prints the answer on standard output or to a file, all else on standard error. @returns the exit code */
async function printOutcome(outcome: CallOutcome, how: Printing): Promise<number> {
  switch (outcome.kind) {
    case 'declined':
      process.stderr.write('not paid\n')
      return 1
    case 'no-offer':
      process.stderr.write(`not paid: ${outcome.reason}\n`)
      return 1
    case 'invalid_arguments':
      process.stderr.write(
        `not paid: invalid request: ${toPlainLine(outcome.problem.detail, MAX_OUTCOME_LINE)}\n`,
      )
      if (how.asJson) process.stdout.write(`${JSON.stringify(outcome.body)}\n`)
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
  { asJson, file, again }: Printing,
): Promise<number> {
  const response = await readWhole(outcome.response, again)
  const { bytes } = response
  const offer = outcome.kind === 'answered' ? outcome.offer : null
  const settlement = offer && readSettlement(response)
  const paid = settlement?.success === true ? settlement : null
  const charged = paid && offer ? formatUsd(chargeOf(offer, paid)) : null
  // An error is text for the user, not audio or an image, so it is never written to the file.
  const written = response.ok ? file : undefined
  if (written !== undefined) await writeFile(written, bytes)
  if (asJson) {
    const body =
      written === undefined
        ? toJsonBody(bytes, response.headers.get('content-type') ?? '')
        : toMember('file', written)
    const summary = {
      status: response.status,
      paid_usd: charged,
      transaction: paid?.transaction || null,
    }
    process.stdout.write(`${JSON.stringify(summary).slice(0, -1)},${body}}\n`)
  } else {
    if (written === undefined) process.stdout.write(bytes)
    const where = paid?.transaction
      ? `transaction ${toPlainLine(paid.transaction, MAX_OUTCOME_LINE)}`
      : 'no transaction'
    const unpaid = offer
      ? 'no receipt: not charged, unless the service still settles the payment'
      : 'not charged'
    const cost = charged === null ? unpaid : `paid $${charged} in ${where}`
    process.stderr.write(`\n${response.status} ${cost}\n`)
  }
  return response.ok ? 0 : 1
}

/** The raw text of a JSON body: parsing it would round large numbers. */
function toJsonBody(bytes: Uint8Array, contentType: string): string {
  const text = new TextDecoder().decode(bytes)
  if (/[/+]json\b/.test(contentType) && isJson(text)) return `"body":${text.trim()}`
  return /^text\/|json\b|[/+]xml\b/.test(contentType)
    ? toMember('body', text)
    : toMember('body_base64', Buffer.from(bytes).toString('base64'))
}

function toMember(name: string, value: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
