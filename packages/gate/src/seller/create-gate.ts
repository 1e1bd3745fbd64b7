import { randomUUID } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import type { Network } from '@tollbook/chain/network'
import { loadSignerRecovery } from '@tollbook/chain/recover'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { createWalletSignatures } from '@tollbook/chain/wallet-signatures'
import type { Logger } from '@tollbook/flow/logger'
import { makeFolder } from '@tollbook/flow/make-folder'
import { createClientAddressReader } from '@tollbook/http/request/client-address'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { migrateState } from '@tollbook/store/migrate'
import { openState } from '@tollbook/store/open'
import { createOfferSigner } from '../contract/signed-offers.ts'
import type { SellerTerms } from '../contract/terms.ts'
import type { RunningFacilitator } from '../facilitator.ts'
import { openGate } from '../gate/gate.ts'
import type { ChainAccess } from '../reading/chain-access.ts'
import { createChainReader } from '../reading/chain-reader.ts'
import { createRemoteFacilitator } from '../remote/remote-facilitator.ts'
import { baseline, permit2Calls } from '../state/migrations.ts'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import { holdPayee } from './payees.ts'
import { SellerGate } from './seller-gate.ts'
import { checkOptions, type SellerOptions } from './seller-options.ts'
import { terminalLogger } from './terminal-logger.ts'

/** Of a client address and of a wallet. */
const UNPAID_PER_MINUTE = 600

/**
 * Opens the gate of a server. Its routes are paid with `paid(gate, route)` of the adapter of its framework.
 * @throws TypeError for an option that is missing or wrong, with what to write; Error if the RPC is that of another
 * network, or another store of this process sells for the payee; the store's own error.
 * @example const gate = await createGate({ payTo, network: 'base', rpcUrl, facilitator, store: 'sqlite:gate.sqlite' })
 */
export async function createGate(options: SellerOptions): Promise<SellerGate> {
  const network = checkOptions(options)
  const { logger = terminalLogger } = options
  const rpc = createReadRpc({ url: options.rpcUrl })
  const opened: (() => Promise<void> | void)[] = [holdPayee(network.id, options.payTo, options.store)]
  const close = async () => {
    for (const end of opened.toReversed()) await end()
  }
  try {
    await checkChain(rpc, network)
    const state = await openStore(options.store)
    opened.push(() => state.close())
    const access: ChainAccess = { rpcUrl: options.rpcUrl, network, finalTag: 'finalized' }
    const facilitator = await openFacilitator(options, { access, state, logger })
    opened.push(() => facilitator.close())
    const { unpaidPerMinute = UNPAID_PER_MINUTE } = options
    const signatures = createWalletSignatures(rpc, loadSignerRecovery().recoverSigner)
    const terms = toTerms(options, network, facilitator)
    const gate = await openGate({
      state,
      facilitator,
      chainReader: createChainReader(access),
      ...(options.channels && { channels: options.channels.open }),
      seller: () => terms,
      limiter: createRateLimiter(unpaidPerMinute),
      payerLimiter: createRateLimiter(unpaidPerMinute),
      logger,
      dataDir: filesOf(options.store),
      verifyMessage: signatures.isSignedBy,
      ...(options.limits && { limits: options.limits }),
    })
    opened.push(() => gate.close())
    await gate.start()
    return new SellerGate({
      gate,
      logger,
      title: options.title,
      baseUrl: options.baseUrl,
      addressOf: createClientAddressReader(options.trustedProxies ?? []),
      newId: randomUUID,
      close,
    })
  } catch (error) {
    await close()
    throw error
  }
}

/** @throws Error for the RPC of another network, or one that does not answer. */
async function checkChain(rpc: Rpc, network: Network): Promise<void> {
  const id = Number(await rpc.call('eth_chainId', []))
  if (id !== network.chainId)
    throw new Error(
      `rpcUrl is an RPC of chain ${id}, and network ${network.nameV1} is chain ${network.chainId}`,
    )
}

async function openStore(url: string): Promise<State> {
  if (url.startsWith('sqlite:') && url !== 'sqlite::memory:') makeFolder(dirname(resolve(url.slice(7))))
  const state = await openState<Tables>(url)
  try {
    await migrateState(state, [baseline, permit2Calls])
  } catch (error) {
    await state.close()
    throw error
  }
  return state
}

/** The folder of answers that are too large for a row of SQLite. */
function filesOf(store: string): string {
  const isFile = store.startsWith('sqlite:') && store !== 'sqlite::memory:'
  return isFile ? `${resolve(store.slice('sqlite:'.length))}-files` : resolve('.')
}

function openFacilitator(
  { facilitator }: SellerOptions,
  { access, state, logger }: { readonly access: ChainAccess; readonly state: State; readonly logger: Logger },
): Promise<RunningFacilitator> {
  if (typeof facilitator === 'function') return facilitator({ chain: access, state, logger })
  return createRemoteFacilitator({ url: facilitator, network: access.network.id, logger })
}

/** @throws TypeError for channels without a facilitator that settles them. */
function toTerms(options: SellerOptions, network: Network, facilitator: RunningFacilitator): SellerTerms {
  const { payTo, channels, offerKey } = options
  const { escrow } = facilitator
  if (channels && !escrow)
    throw new TypeError(
      'channels: this facilitator settles none; use ownFacilitator({ key }) of @tollbook/facilitator',
    )
  return {
    network: network.id,
    asset: network.usdc,
    assetName: network.usdcName,
    assetVersion: network.usdcVersion,
    payTo,
    get facilitatorAddress() {
      return facilitator.address ?? undefined
    },
    channels: channels &&
      escrow && { receiverAuthorizer: escrow.authorizer.address, withdrawDelay: channels.withdrawDelay },
    signer: offerKey && createOfferSigner(offerKey),
  }
}
