import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Abi, TypedData } from 'viem'

const SDK = new URL('.', import.meta.resolve('@x402/evm'))

/** ABI and EIP-712 types of payment channels in `@x402/evm`, which exports neither. */
export async function readSdkChannels() {
  const abi = (await importChunk('batchSettlementABI')).batchSettlementABI as Abi
  const constants = await importChunk('claimBatchTypes')
  return { abi, typesOf: (name: string) => constants[name] as TypedData }
}

function importChunk(name: string): Promise<Record<string, unknown>> {
  const folder = fileURLToPath(SDK)
  const file = readdirSync(folder).find(
    (file) => file.endsWith('.mjs') && readFileSync(folder + file, 'utf8').includes(`var ${name} = `),
  )
  if (!file) throw new Error(`@x402/evm has no chunk that defines ${name}`)
  return import(new URL(file, SDK).href)
}
