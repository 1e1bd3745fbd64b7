import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import type { InProcessOptions } from '@tollbook/facilitator/settlement/options'
import type { RunningFacilitator, Settlement } from '@tollbook/gate/facilitator'
import type { OfferedPayment } from '@tollbook/gate/payment'
import type { ChainAccess } from '@tollbook/gate/reading/chain-access'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { pino } from 'pino'
import { createWalletClient, type Hex, http, maxUint256, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from '../chain/base-chain.ts'
import { openStateAt, type TestState } from '../state/open-state-at.ts'

export const NEVER = new AbortController().signal

/** A chain with a store, for tests of settlements. */
export type SettlementStage = {
  readonly chain: DevChain
  readonly state: TestState
  readonly stateUrl: string
  readonly access: ChainAccess
  /** An in-process facilitator, closed with the stage. */
  openFacilitator(options?: Partial<InProcessOptions>): Promise<RunningFacilitator>
  /** The key of a new wallet with this many micro-USDC. */
  newPayer(holding?: bigint): Promise<Hex>
  /** Lets Permit2 move the wallet's USDC; default without a bound. */
  approvePermit2(key: Hex, amount?: bigint): Promise<void>
  balanceOf(wallet: Hex): Promise<bigint>
  close(): Promise<void>
}

export async function openSettlementStage(): Promise<SettlementStage> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-settlement-'))
  const stateUrl = `sqlite:${join(folder, 'state.sqlite')}`
  const [chain, state] = await Promise.all([startDevChain({ port: 0 }), openStateAt(stateUrl)])
  const access: ChainAccess = toAccess(chain.rpcUrl)
  const facilitators: RunningFacilitator[] = []
  let minted = Promise.resolve()
  const chainReader = createChainReader(access)
  return {
    chain,
    state,
    stateUrl,
    access,
    async openFacilitator(options) {
      const facilitator = await createInProcessFacilitator({
        chain: access,
        key: devFacilitatorKey,
        state,
        logger: pino({ level: 'silent' }),
        ...options,
      })
      facilitators.push(facilitator)
      return facilitator
    },
    async newPayer(holding = 1_000_000n) {
      const key = generatePrivateKey()
      // Sequentially: the chain counts the minting wallet's nonces.
      minted = minted.then(() => chain.fundUsdc(privateKeyToAccount(key).address, holding))
      await minted
      return key
    },
    async approvePermit2(key, amount = maxUint256) {
      await chain.fundGas(privateKeyToAccount(key).address)
      const sender = toSender(key, chain.rpcUrl)
      const call = { address: BASE.usdc, abi: devUsdcAbi, functionName: 'approve' } as const
      const hash = await sender.writeContract({ ...call, args: [CONTRACTS.permit2, amount] })
      await sender.waitForTransactionReceipt({ hash })
    },
    balanceOf: (wallet) => chainReader.balanceOf(wallet, NEVER),
    async close() {
      await Promise.all(facilitators.map((facilitator) => facilitator.close()))
      await state.close()
      await chain.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function toAccess(rpcUrl: string): ChainAccess {
  return { rpcUrl, network: BASE, finalTag: 'latest' }
}

/** A wallet of a test that sends transactions of its own, such as a third party's. */
export function toSender(key: Hex, rpcUrl: string) {
  const account = privateKeyToAccount(key)
  return createWalletClient({
    account,
    chain: base,
    transport: http(rpcUrl),
    pollingInterval: 10,
  }).extend(publicActions)
}

/** Settles the signed amount and returns the outcome with the hashes that were reported before. */
export async function settleWhole(
  facilitator: RunningFacilitator,
  payment: OfferedPayment,
  amount = payment.signedAmount,
): Promise<{ readonly settlement: Settlement; readonly told: readonly (Hex | null)[] }> {
  const told: (Hex | null)[] = []
  const beforeSend = async (hash: Hex | null) => {
    told.push(hash)
  }
  return {
    settlement: await facilitator.settle(
      { payment, amount, isCovered: true, key: 'one-call', beforeSend },
      NEVER,
    ),
    told,
  }
}
