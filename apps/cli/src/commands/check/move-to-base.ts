import { BASE } from '@tollbook/chain/network'
import { type ChainSetting, findChain, walletOfKey } from '@tollbook/runtime/chain/chain-setting'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import { serviceSetting } from '@tollbook/runtime/settings/service-settings'
import { readSupported } from './facilitator.ts'

/** On a test network: what changes when its seller moves to Base. */
export async function listMoves(config: Config, sold: readonly string[]): Promise<readonly Finding[]> {
  const { TOLLBOOK_NETWORK: network, TOLLBOOK_CHAIN_RPC_URL: rpcUrls } = config
  if (!network.isTest || sold.length === 0) return []
  const chain = await findChain(config, sold)
  const rpc = `TOLLBOOK_CHAIN_RPC_URL: a node with chain id ${BASE.chainId}`
  const texts = [
    `TOLLBOOK_NETWORK: unset, or ${BASE.nameV1}; buyers then sign ${BASE.usdcName} ${BASE.usdc} instead of ${network.usdcName} ${network.usdc}`,
    rpcUrls ? `${rpc} instead of ${network.chainId}` : rpc,
    ...sold.map((name) => nameWallet(config, chain, name)),
    await describeFacilitator(config, chain),
  ]
  return texts.map((text): Finding => ({ verdict: 'note', name: 'to base', text }))
}

function nameWallet(config: Config, { isDev, payTo }: ChainSetting, name: string): string {
  const setting = serviceSetting(name, 'PAY_TO')
  if (isDev && config.services.get(name)?.payTo === undefined)
    return `${setting}: a wallet of your own; the key of ${payTo[name]} is public`
  return `${setting}: ${payTo[name]} gets real money; make sure that you hold its key on Base`
}

async function describeFacilitator(config: Config, chain: ChainSetting): Promise<string> {
  const url = config.TOLLBOOK_FACILITATOR_URL
  if (url === undefined) {
    const key = config.TOLLBOOK_FACILITATOR_KEY as `0x${string}` | undefined
    return key === undefined || chain.facilitatorKey === undefined
      ? 'TOLLBOOK_FACILITATOR_KEY: the key of a wallet with ETH on Base, or TOLLBOOK_FACILITATOR_URL'
      : `TOLLBOOK_FACILITATOR_KEY: ${walletOfKey(key)} needs ETH on Base for gas`
  }
  const { host } = new URL(url)
  const schemes = (await readSupported(url))?.schemesOn(BASE) ?? []
  return schemes.includes('exact')
    ? `TOLLBOOK_FACILITATOR_URL: ${host} settles ${schemes.join(', ')} on Base, too`
    : `TOLLBOOK_FACILITATOR_URL: ${host} does not settle on Base; set another facilitator, or a key`
}
