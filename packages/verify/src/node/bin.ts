#!/usr/bin/env node
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createProgress } from '@tollbook/flow/progress'
import { runVerify, VERIFY_EXIT_CODES, VERIFY_OPTIONS } from '../command.ts'
import { createDocumentSource } from './document-source.ts'

/** A public node of Base (https://docs.base.org/base-chain/quickstart/connecting-to-base). */
const PUBLIC_RPC_URL = 'https://mainnet.base.org'
const OPTIONS = {
  rpc: { type: 'string', value: 'url', help: `JSON-RPC of the chain (default: ${PUBLIC_RPC_URL})` },
  ...VERIFY_OPTIONS,
  help: { type: 'boolean', help: 'print this text' },
} as const
/** Called wrongly, as in the command line of Tollbook. */
const USAGE = 2

async function main(words: readonly string[]): Promise<number> {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { type }]) => [name, { type }]),
  )
  const parsed = parse(words, options)
  const values: Readonly<Record<string, unknown>> = parsed?.values ?? {}
  if (values.help === true) {
    process.stdout.write(renderHelp())
    return 0
  }
  const [report, ...surplus] = parsed?.positionals ?? []
  const url = typeof values.rpc === 'string' ? values.rpc : PUBLIC_RPC_URL
  if (!parsed || !report || surplus.length > 0 || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    process.stderr.write(renderHelp())
    return USAGE
  }
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort(new Error('interrupted')))
  return runVerify(
    {
      report,
      values,
      rpc: createReadRpc({ url }),
      source: createDocumentSource(),
      now: new Date(),
      phase: createProgress().phase,
      writeOutput: (text) => process.stdout.write(text),
      writeError: (text) => process.stderr.write(text),
    },
    abort.signal,
  )
}

function parse(words: readonly string[], options: ParseArgsConfig['options']) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch {
    return null
  }
}

function renderHelp(): string {
  const rows = Object.entries(OPTIONS).map(([name, option]) => {
    const flag = `--${name}${'value' in option ? ` <${option.value}>` : ''}`
    return `  ${flag.padEnd(24)} ${option.help}`
  })
  const codes = Object.entries({ ...VERIFY_EXIT_CODES, [USAGE]: 'called wrongly' })
  return [
    'Recompute a published report from the chain and compare it field by field.',
    '',
    'usage: npx @tollbook/verify <url or file> [options]',
    '',
    ...rows,
    '',
    `exit codes: ${codes.map(([code, meaning]) => `${code} ${meaning}`).join(', ')}`,
    '',
  ].join('\n')
}

process.exitCode = await main(process.argv.slice(2))
