import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { MIN_PARTNERS, SAMPLE_BLOCKS } from '@tollbook/report/chain/find-hubs'
import { MAX_RELAYS } from '@tollbook/verify/screen/flow/find-ways'
import { gasUsd, PRICES } from './prices.ts'
import {
  MINUTE_HOURS,
  playMule,
  playRounds,
  ROUNDS,
  type Round,
  type Strategy,
  WEEK_HOURS,
} from './strategy.ts'
import { BRIDGE, EXCHANGE, POOL, type Town } from './town.ts'

/** Of own capital, so that 49 % of the payment are lent. */
const HALF_LENT = 0.49 / 0.51

/** These still pass, and docs/screens.md says why. */
export const PASSING: readonly Strategy[] = [
  {
    name: 'channels of others',
    summary:
      'a mule deposits into the channels of fresh payers by a collector of its own, and gets everything back',
    play: (town, usd) =>
      playMule(town, usd, ({ shop, mule, buyer }) => town.payOverChannel(mule, buyer, shop, usd)),
  },
  {
    name: 'seven relays',
    summary: 'one fresh wallet more than is followed',
    play(town, usd) {
      const shop = town.wallet()
      let holder = town.wallet()
      playRounds(town, usd, () => {
        for (let hop = 0; hop < MAX_RELAYS; hop += 1) {
          const next = town.wallet()
          town.send(holder, next, usd)
          holder = next
        }
        const buyer = town.wallet()
        town.send(holder, buyer, usd)
        town.pay(buyer, shop, usd)
        holder = town.wallet()
        town.send(shop, holder, usd)
      })
    },
  },
  {
    name: 'a busy mule',
    summary:
      'a mule between, which trades with so many fresh wallets all week that it looks like an exchange',
    play(town, usd) {
      const mule = town.wallet()
      town.hubs.add(mule)
      // Its trade lasts all week, and a round takes a minute.
      const partners = (MIN_PARTNERS * BASE.weekBlocks) / SAMPLE_BLOCKS
      town.burn((gasUsd(partners * PRICES.transferGas) * ROUNDS * MINUTE_HOURS) / WEEK_HOURS)
      const buy = ({ shop, buyer }: Round) => {
        town.send(mule, buyer, usd)
        town.pay(buyer, shop, usd)
      }
      playMule(town, usd, buy, mule)
    },
  },
  {
    name: 'a pool of stable coins',
    summary: 'the merchant swaps its revenue, the buyer swaps it back',
    play: (town, usd) => playSwaps(town, usd, PRICES.stablePoolFee),
  },
  {
    name: 'back as ETH',
    summary: 'the merchant buys ETH, the buyer sells it',
    play: (town, usd) => playSwaps(town, usd, PRICES.ethPoolFee),
  },
  {
    name: 'through an exchange',
    summary: 'the merchant deposits at an exchange and withdraws to a fresh buyer',
    play(town, usd) {
      const shop = town.wallet()
      for (let round = 0; round < ROUNDS; round += 1) {
        const buyer = town.wallet()
        town.burn(PRICES.withdrawalUsd)
        town.send(EXCHANGE, buyer, usd)
        town.pay(buyer, shop, usd)
        town.send(shop, EXCHANGE, usd)
        town.lock(usd, PRICES.exchangeHours)
      }
    },
  },
  {
    name: 'over a bridge and back',
    summary: 'the merchant leaves the chain by a bridge without a fee and comes back as a fresh buyer',
    play(town, usd) {
      const shop = town.wallet()
      for (let round = 0; round < ROUNDS; round += 1) {
        const buyer = town.wallet()
        // Burn and mint, on both chains.
        town.burn(4 * gasUsd(PRICES.swapGas))
        town.send(BRIDGE, buyer, usd)
        town.pay(buyer, shop, usd)
        town.send(shop, BRIDGE, usd)
        town.lock(usd, PRICES.bridgeHours)
      }
    },
  },
  {
    name: 'own capital, held',
    summary: 'the operator buys from itself once, and leaves the money where it is until the week is over',
    play(town, usd) {
      const [owner, buyer, shop] = [town.wallet(), town.wallet(), town.wallet()]
      town.send(owner, buyer, usd)
      town.pay(buyer, shop, usd)
      town.lock(usd, WEEK_HOURS)
    },
  },
  {
    name: 'own capital, last hour',
    summary:
      'the same in the last hour of a week, returned in the first of the next: every other week at most',
    play: (town, usd) => playLastHour(town, usd, () => 0),
  },
  {
    name: 'a ring of merchants',
    summary:
      'nine merchants of one operator buy from each other in turn, further apart than money is followed',
    play(town, usd) {
      const ring = Array.from({ length: MAX_RELAYS + 3 }, () => town.wallet())
      for (let round = 0; round < ROUNDS; round += 1)
        for (const [at, buyer] of ring.entries()) town.pay(buyer, ring[(at + 1) % ring.length] ?? buyer, usd)
      town.lock(usd, ROUNDS * ring.length * MINUTE_HOURS)
    },
  },
  {
    name: 'over a lender',
    summary: 'a mule gives back to a lender in the transaction in which the lender lends to a fresh buyer',
    play: (town, usd) =>
      playMule(town, usd, ({ shop, mule, buyer }) => {
        town.burn(gasUsd(PRICES.lentPaymentGas))
        town.send(POOL, buyer, usd)
        town.send(mule, POOL, usd, { together: true })
        town.pay(buyer, shop, usd, { together: true })
      }),
  },
  {
    name: 'half a flash loan',
    summary: 'own capital in the last hour of a week, and 49 % of each payment lent and given back at once',
    play: (town, usd) =>
      playLastHour(town, usd, (buyer) => {
        town.burn(gasUsd(PRICES.lentPaymentGas))
        town.send(POOL, buyer, HALF_LENT * usd)
        return HALF_LENT * usd
      }),
  },
]

/** Own capital in the last hour of a week. @param lend lends to the buyer; returns the dollars, given back at once */
function playLastHour(town: Town, usd: number, lend: (buyer: Address) => number): void {
  const [owner, buyer, shop] = [town.wallet(), town.wallet(), town.wallet()]
  town.send(owner, buyer, usd)
  const lent = lend(buyer)
  const together = lent > 0
  town.pay(buyer, shop, usd + lent, { together })
  if (lent > 0) town.send(shop, POOL, lent, { together })
  // The way back is in the next week.
  town.burn(gasUsd(PRICES.transferGas))
  town.lock(usd, 1)
}

function playSwaps(town: Town, usd: number, fee: number): void {
  const shop = town.wallet()
  let left = usd
  for (let round = 0; round < ROUNDS; round += 1) {
    const buyer = town.wallet()
    town.burn(gasUsd(2 * PRICES.swapGas))
    town.send(POOL, buyer, left)
    town.pay(buyer, shop, left)
    town.send(shop, POOL, left)
    town.burn(2 * fee * left)
    left *= 1 - 2 * fee
  }
  town.lock(usd, ROUNDS * MINUTE_HOURS)
}
