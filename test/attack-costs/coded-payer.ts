import { setTimeout as wait } from 'node:timers/promises'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { getContractAddress, type Hex } from 'viem'
import type { Attack, Costs } from './attack.ts'
import { usdOfGas, usdOfUsdc } from './prices.ts'
import { type Answer, countAnswers, send, signFor } from './send.ts'
import { deploying, walletCode } from './wallet-code.ts'
import type { World } from './world.ts'

const WALLETS = 3
const CALLS_PER_WALLET = 12
/** Not a signature of a key: only the wallet's code can accept it. */
const SIGNATURE: Hex = `0x${'11'.repeat(70)}`

/** A wallet whose code uses much gas, accepts in every simulation, and reverts in the block. */
export const lyingWallet: Attack = {
  name: 'lying-wallet',
  summary:
    'contract wallets that agree to a payment in a simulation and revert in the block, after 600,000 gas',
  run: (world, note) => buyWith(world, note, { gas: 600_000, isLiar: true }),
}

/** A wallet whose code uses much gas and pays. */
export const dearWallet: Attack = {
  name: 'dear-wallet',
  summary: 'contract wallets that use 1,200,000 gas for each payment of 0.001 dollars, and pay',
  run: (world, note) => buyWith(world, note, { gas: 1_200_000, isLiar: false }),
}

async function buyWith(
  world: World,
  note: (words: string) => void,
  { gas, isLiar }: { readonly gas: number; readonly isLiar: boolean },
): Promise<Costs> {
  const answers: Answer[] = []
  const from = world.newAddress()
  const order = { url: `${world.utility}/api/calc?expr=1`, from }
  const spent = await world.measure(async () => {
    for (let at = 0; at < WALLETS; at += 1) {
      const payer = await deployWallet(world, walletCode(gas, isLiar))
      for (let call = 0; call < CALLS_PER_WALLET; call += 1) {
        const payment = await signFor(order, payer)
        if (payment === null) break
        const answer = await send(order, payment)
        answers.push(answer)
        note(`wallet ${at + 1}, call ${call + 1}: ${answer.status}`)
        // A wallet that the seller already knows is of no further use.
        if (answer.status !== 200 && !answer.text.includes('settlement_failed')) break
      }
    }
  })
  return {
    kind: 'costs',
    attackerUsd: usdOfGas(spent.attackerGas) + usdOfUsdc(spent.received),
    sellerUsd: usdOfGas(spent.sellerGas),
    receivedUsd: usdOfUsdc(spent.received),
    setting: {
      wallets: WALLETS,
      calls: answers.length,
      answers: countAnswers(answers),
      sellerGas: Number(spent.sellerGas),
      attackerGas: Number(spent.attackerGas),
    },
  }
}

/** Deploys a wallet with the attacker's gas. */
async function deployWallet(world: World, code: Hex): Promise<Payer> {
  const owner = await world.newWallet(0n)
  const hash = await owner.send({ data: deploying(code), gas: 300_000n })
  while ((await world.rpc.call('eth_getTransactionReceipt', [hash])) === null) await wait(50)
  const address = getContractAddress({ from: owner.address, nonce: 0n })
  const deployed = await world.rpc.call<Hex>('eth_getCode', [address, 'latest'])
  if (deployed !== code) throw new Error(`the wallet was not deployed: ${deployed}`)
  await world.fill(address, 100_000n)
  return { ...owner, address, signTypedData: async () => SIGNATURE }
}
