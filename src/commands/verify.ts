import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import { loadConfig } from '../runtime/config.ts'
import { createProgress } from '../runtime/process/progress.ts'
import { loadPublished } from '../verify/load-published.ts'
import { createDocumentSource } from '../verify/node/document-source.ts'
import { renderVerification, toVerificationDocument, type Verified } from '../verify/render-verification.ts'
import { isOverview, verifyOverview } from '../verify/verify-overview.ts'
import { type Verification, verifyReport } from '../verify/verify-report.ts'
import { type Command, UsageError } from './command.ts'
import { explainFailure } from './verify/explain-failure.ts'
import { chooseRpcUrl, RPC_HELP } from './verify/rpc-url.ts'

const DIFFERENT = 1

export const verify: Command = {
  name: 'verify',
  summary: 'Recompute a published report from the chain and compare it field by field.',
  usage: '<url or file> [options]',
  examples: [
    'verify http://127.0.0.1:4020/merchants/base/0xf400b45c19097db4a0cd2efbe65c7d276827edbe.json',
    'verify http://127.0.0.1:4020/overview.json',
  ],
  exitCodes: {
    0: 'every recomputed figure is equal',
    1: 'something differs',
    65: 'a document is invalid',
    69: 'not checked: node or publisher cannot be reached',
  },
  options: {
    rpc: { type: 'string', value: 'url', help: RPC_HELP },
    inputs: { type: 'string', value: 'url|file', help: 'inputs of the report (default: next to the report)' },
    evidence: {
      type: 'string',
      value: 'url|file',
      help: 'its payments as NDJSON (default: next to the report)',
    },
    claim: {
      type: 'string',
      value: 'url|file',
      help: "the merchant's signed claim (default: next to the report)",
    },
    ranking: { type: 'boolean', help: 'also compare the rank with the published ranking' },
    json: { type: 'boolean', help: 'print one JSON object instead of a table' },
  },
  async run({ values, positionals }) {
    const [report, ...surplus] = positionals
    if (!report || surplus.length > 0)
      throw new UsageError('verify needs exactly one URL or file of a report')
    const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
    const locations = {
      report,
      inputs: text('inputs'),
      evidence: text('evidence'),
      claim: text('claim'),
      withRanking: values.ranking === true,
    }
    const rpcUrl = chooseRpcUrl(values.rpc, loadConfig())
    const abort = new AbortController()
    process.once('SIGINT', () => abort.abort(new Error('interrupted')))
    try {
      const isField = isOverview(report)
      const verified = isField
        ? await verifyOverviewAt(report, rpcUrl, abort.signal)
        : await verifyAt(locations, rpcUrl, abort.signal)
      const json = () => `${JSON.stringify(toVerificationDocument(verified), null, 2)}\n`
      process.stdout.write(
        values.json === true ? json() : renderVerification(verified, isField ? 'overview' : 'report'),
      )
      return verified.isEqual ? 0 : DIFFERENT
    } catch (error) {
      const failure = explainFailure(error)
      if (!failure) throw error
      if (values.json === true)
        process.stdout.write(`${JSON.stringify({ verdict: 'could_not_check', reason: failure.reason })}\n`)
      process.stderr.write(`tollbook verify: ${failure.reason}\n`)
      return failure.exitCode
    }
  },
}

async function verifyAt(
  locations: Parameters<typeof loadPublished>[0],
  rpcUrl: string,
  signal: AbortSignal,
): Promise<Verified> {
  const { phase } = createProgress()
  const source = createDocumentSource()
  const published = await phase('documents', () => loadPublished(locations, source, signal))
  const verification = await phase('chain', ({ at }) =>
    verifyReport(
      { ...published, rpc: createReadRpc({ url: rpcUrl }), now: new Date(), onProgress: at },
      signal,
    ),
  )
  return { ...published, ...verification, notes: [...published.notes, ...verification.notes] }
}

async function verifyOverviewAt(url: string, rpcUrl: string, signal: AbortSignal): Promise<Verification> {
  const { phase } = createProgress()
  const options = {
    url,
    source: createDocumentSource(),
    rpc: createReadRpc({ url: rpcUrl }),
    now: new Date(),
  }
  return phase('reports', ({ at }) => verifyOverview({ ...options, onProgress: at }, signal))
}
