import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import { loadConfig } from '@tollbook/runtime/config'
import { runVerify, VERIFY_EXIT_CODES, VERIFY_OPTIONS } from '@tollbook/verify/command'
import { createDocumentSource } from '@tollbook/verify/node/document-source'
import type { Command } from './command.ts'
import { chooseRpcUrl, RPC_HELP } from './verify/rpc-url.ts'

export const verify: Command = {
  name: 'verify',
  usage: '<url or file> [options]',
  examples: [
    'verify http://127.0.0.1:4020/merchants/base/0xf400b45c19097db4a0cd2efbe65c7d276827edbe.json',
    'verify http://127.0.0.1:4020/overview.json',
  ],
  exitCodes: VERIFY_EXIT_CODES,
  options: { rpc: { type: 'string', value: 'url', help: RPC_HELP }, ...VERIFY_OPTIONS },
  async run({ values, positionals }) {
    const [report, ...surplus] = positionals
    if (!report || surplus.length > 0)
      throw new UsageError('verify needs exactly one URL or file of a report')
    const rpc = createReadRpc({ url: chooseRpcUrl(values.rpc, loadConfig()) })
    const abort = new AbortController()
    process.once('SIGINT', () => abort.abort(new Error('interrupted')))
    return runVerify(
      {
        report,
        values,
        rpc,
        source: createDocumentSource(),
        now: new Date(),
        phase: createProgress().phase,
        writeOutput: (text) => process.stdout.write(text),
        writeError: (text) => process.stderr.write(text),
      },
      abort.signal,
    )
  },
}
