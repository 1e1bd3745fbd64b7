import { setTimeout as wait } from 'node:timers/promises'
import { numberToHex, parseGwei } from 'viem'
import type { Attack } from './attack.ts'
import { PRICES, usdOfGas, usdOfUsdc, usdOfWei } from './prices.ts'
import { type Answer, countAnswers, send, signFor } from './send.ts'

const FEES_GWEI = ['1', '5', '12']
const HELD_SECONDS = 8

/** Nothing is forged: the price is below what its settlement costs. */
export const highBaseFee: Attack = {
  name: 'high-base-fee',
  summary: 'calls for 0.001 dollars while the base fee is 1, 5 and 12 gwei; gas at that fee',
  ethUsd: PRICES.ethUsd,
  async run(world, note) {
    const answers: Answer[] = []
    const order = { url: `${world.utility}/api/calc?expr=1`, from: world.newAddress() }
    const wallet = await world.newWallet(1_000_000n)
    const spent = await world.measure(async () => {
      for (const gwei of FEES_GWEI) {
        // Each empty block lowers the base fee by an eighth, one block per second; a seller reads it every
        // few seconds.
        for (let second = 0; second < HELD_SECONDS; second += 1) {
          await world.rpc.call('anvil_setNextBlockBaseFeePerGas', [numberToHex(parseGwei(gwei))])
          await world.rpc.call('evm_mine')
          await wait(1_000)
        }
        const challenged = await send(order)
        const payment = challenged.status === 402 ? await signFor(order, wallet) : null
        const answer = payment === null ? challenged : await send(order, payment)
        answers.push(answer)
        note(`base fee ${gwei} gwei: ${answer.status}`)
      }
    })
    await world.rpc.call('anvil_setNextBlockBaseFeePerGas', [numberToHex(parseGwei('0.005'))])
    await world.rpc.call('evm_mine')
    return {
      kind: 'costs',
      attackerUsd: usdOfGas(spent.attackerGas) + usdOfUsdc(spent.received),
      sellerUsd: usdOfWei(spent.sellerWei),
      receivedUsd: usdOfUsdc(spent.received),
      setting: {
        baseFeesGwei: FEES_GWEI.join(' '),
        answers: countAnswers(answers),
        sellerGas: Number(spent.sellerGas),
      },
    }
  },
}
