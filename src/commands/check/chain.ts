import { readBlock } from '../../chain/blocks.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import type { Config } from '../../config.ts'
import { findReadChain } from '../setup/chain.ts'
import type { Finding } from './finding.ts'

/** A node with an older head is out of sync; Base has a block every two seconds. */
const OLDEST_HEAD_SECONDS = 300

export async function checkChain(config: Config): Promise<readonly Finding[]> {
  const { isDev, access } = await findReadChain(config)
  const rpc = createReadRpc({ url: access.rpcUrl, attempts: 2 })
  const head = await readBlock(rpc, 'latest', AbortSignal.timeout(30_000))
  const final = await readBlock(rpc, access.finalTag, AbortSignal.timeout(30_000))
  const where = `${isDev ? 'the local chain' : 'Base'} at ${new URL(access.rpcUrl).host}`
  if (!head || !final) return [{ verdict: 'fault', name: 'chain', text: `${where} returns no head` }]
  const ageSeconds = Math.round(Date.now() / 1000 - head.timestamp)
  const text = `${where}: head ${head.number}, ${ageSeconds} s old, final ${final.number}`
  const isLate = !isDev && ageSeconds > OLDEST_HEAD_SECONDS
  return [{ verdict: isLate ? 'fault' : 'ok', name: 'chain', text }]
}
