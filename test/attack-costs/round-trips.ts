import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { toBody } from '../facilitator/facilitator-stage.ts'
import type { Attack, Costs } from './attack.ts'
import { PRICES, usdOfGas } from './prices.ts'
import { type Answer, countAnswers, send } from './send.ts'
import type { World } from './world.ts'

const PAYMENTS = 1_500
const AT_ONCE = 50
/** Micro-USDC; all below half the gas of a settlement at the assumed prices. */
const DUST = ['1', '100', '500']
/** The dev chain's node suggests a tip of 1 gwei: at this price a settlement costs what it does on Base. */
const ETH_USD_AT_TIP = Math.floor(PRICES.ethUsd * PRICES.gasPriceGwei)

/** The gas of the facilitator service, for money that its owner keeps. */
export const selfPayments: Attack = {
  name: 'self-payments',
  summary: '1,500 payments of a wallet to itself, settled by the facilitator service',
  ethUsd: ETH_USD_AT_TIP,
  run: (world, note) => settleAll(world, note, (payer) => ({ payTo: payer, amount: '1000000' })),
}

/** The same with amounts that do not justify their gas, to wallets of the same owner. */
export const dustPayees: Attack = {
  name: 'dust-payees',
  summary: '1,500 payments of at most 500 micro-dollars to fresh wallets of the payer’s owner, by the same',
  ethUsd: ETH_USD_AT_TIP,
  run: (world, note) =>
    settleAll(world, note, (_, at) => ({
      payTo: privateKeyToAddress(generatePrivateKey()),
      amount: DUST[at % DUST.length] ?? '1',
    })),
}

/** The same with amounts that justify their gas: what the limit by address lets through. */
export const freshPayees: Attack = {
  name: 'fresh-payees',
  summary: '1,500 payments of a cent to fresh wallets of the payer’s owner, by the same',
  ethUsd: ETH_USD_AT_TIP,
  run: (world, note) =>
    settleAll(world, note, () => ({
      payTo: privateKeyToAddress(generatePrivateKey()),
      amount: '10000',
    })),
}

async function settleAll(
  world: World,
  note: (words: string) => void,
  toTerms: (payer: `0x${string}`, at: number) => { payTo: `0x${string}`; amount: string },
): Promise<Costs> {
  const from = world.newAddress()
  const key = generatePrivateKey()
  const payer = privateKeyToAddress(key)
  await world.fill(payer, 20_000_000n)
  const answers: Answer[] = []
  const spent = await world.measure(async () => {
    for (let at = 0; at < PAYMENTS; at += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, async (_, index) => {
        const { payTo, amount } = toTerms(payer, at + index)
        const body = JSON.stringify(toBody(await makeExact(key, exactTerms(amount, { payTo }))))
        return send({ url: `${world.facilitator}/settle`, method: 'POST', body, from })
      })
      answers.push(...(await Promise.all(batch)))
    }
    note(`${answers.filter(({ text }) => text.includes('"success":true')).length} settled`)
  })
  return {
    kind: 'costs',
    attackerUsd: usdOfGas(spent.attackerGas),
    sellerUsd: usdOfGas(spent.sellerGas),
    // It goes round between wallets of the attacker.
    receivedUsd: 0,
    setting: {
      payments: PAYMENTS,
      answers: countAnswers(answers),
      sellerGas: Number(spent.sellerGas),
    },
  }
}
