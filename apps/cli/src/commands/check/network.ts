import { CONTRACTS } from '@tollbook/chain/contracts'
import { hashTokenDomain } from '@tollbook/chain/digests'
import { bytesToHex } from '@tollbook/chain/hex'
import { keccakHex } from '@tollbook/chain/keccak'
import type { Network } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'

const NAME = 'network'
const TIMEOUT_MS = 30_000

/** What cannot be used on a chain without the contract. */
const USES = [
  [CONTRACTS.multicall3, 'Multicall3', 'several payments in one transaction'],
  [CONTRACTS.permit2, 'Permit2', 'payments by Permit2 and upto'],
  [CONTRACTS.exactPermit2Proxy, 'the exact proxy of x402', 'exact by Permit2'],
  [CONTRACTS.uptoPermit2Proxy, 'the upto proxy of x402', 'upto'],
  [CONTRACTS.channelEscrow, 'the channel escrow of x402', 'batch-settlement'],
  [CONTRACTS.channelCollectors[0], 'the deposit collector of x402', 'deposits of batch-settlement'],
] as const

type ChainCalls = {
  /** The returned bytes as hex; null if the call reverts. */
  read(signature: string): Promise<string | null>
  hasCode(address: string): Promise<boolean>
}

/** Whether the chain agrees with the network: EIP-712 domain and decimals of its token, and the contracts of x402. */
export async function checkNetwork(config: Config): Promise<readonly Finding[]> {
  const { access } = await findReadChain(config)
  const { network } = access
  const calls = openCalls(access.rpcUrl, network)
  const missing = await Promise.all(
    USES.map(async ([address, contract, use]): Promise<readonly Finding[]> => {
      if (await calls.hasCode(address)) return []
      const text = `${network.title} lacks ${contract} at ${address}: ${use} cannot be used`
      return [{ verdict: 'note', name: NAME, text }]
    }),
  )
  return [await checkToken(network, calls), ...missing.flat()]
}

async function checkToken(network: Network, { read }: ChainCalls): Promise<Finding> {
  const { usdc, usdcName: name, usdcVersion: version, chainId, decimals, title } = network
  const [separator, found] = await Promise.all([read('DOMAIN_SEPARATOR()'), read('decimals()')])
  const expected = bytesToHex(hashTokenDomain({ name, version, chainId, verifyingContract: usdc }))
  const issues = [
    ...(found !== null && BigInt(found) === BigInt(decimals)
      ? []
      : [`has ${found === null ? 'no decimals()' : `${BigInt(found)} decimals`}, expected ${decimals}`]),
    ...(separator === expected
      ? []
      : [
          `does not verify EIP-712 signatures of name ${name}, version ${version}, chain ${chainId}: its name() is ${await readText(read, 'name()')}, its version() ${await readText(read, 'version()')}`,
        ]),
  ]
  const token = `the token ${usdc} on ${title}`
  if (issues.length > 0) return { verdict: 'failed', name: NAME, text: `${token} ${issues.join('; ')}` }
  const text = `${token} has the EIP-712 name ${name}, version ${version}, and ${decimals} decimals`
  return { verdict: 'ok', name: NAME, text }
}

function openCalls(url: string, { usdc }: Network): ChainCalls {
  const rpc = createReadRpc({ url, attempts: 2 })
  const call = (method: string, params: readonly unknown[]) =>
    rpc.call(method, params, AbortSignal.timeout(TIMEOUT_MS))
  return {
    async read(signature) {
      const data = `0x${keccakHex(Buffer.from(signature)).slice(0, 8)}`
      const answer = await call('eth_call', [{ to: usdc, data }, 'latest']).catch(() => null)
      return typeof answer === 'string' && answer.length > 2 ? answer : null
    },
    hasCode: async (address) => (await call('eth_getCode', [address, 'latest'])) !== '0x',
  }
}

/** An ABI-encoded text: its offset, its length and its bytes. */
async function readText(read: ChainCalls['read'], signature: string): Promise<string> {
  const bytes = Buffer.from((await read(signature))?.slice(2) ?? '', 'hex')
  if (bytes.length < 64) return 'absent'
  return JSON.stringify(bytes.subarray(64, 64 + bytes.readUInt32BE(60)).toString('utf8'))
}
