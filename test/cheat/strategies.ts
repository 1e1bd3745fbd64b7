import { BASE } from '../../src/money/base.ts'
import { MIN_PARTNERS, SAMPLE_BLOCKS } from '../../src/report/chain/find-hubs.ts'
import { MAX_RELAYS } from '../../src/report/screen/flow/find-ways.ts'
import { gasUsd, PRICES } from './prices.ts'
import { BRIDGE, EXCHANGE, POOL, type Town } from './town.ts'

/** A way to make revenue look real. */
export type Strategy = {
  readonly name: string
  readonly summary: string
  /** Plays one week with a budget in dollars. */
  play(town: Town, budgetUsd: number): void
}

/** Costs grow with the rounds, and so does the revenue: a few show the price of a dollar. */
const ROUNDS = 20
const WEEK_HOURS = 168
const MINUTE_HOURS = 1 / 60

export const STRATEGIES: readonly Strategy[] = [
  {
    name: 'straight back',
    summary: 'buyers pay, and the merchant sends everything back to them',
    play(town, usd) {
      const [shop, buyer] = [town.wallet(), town.wallet()]
      for (let round = 0; round < ROUNDS; round += 1) {
        town.pay(buyer, shop, usd)
        town.send(shop, buyer, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'flash loan',
    summary: 'a lender lends, 25 buyers pay, and the merchant gives back, all in one transaction',
    play: (town) => playFlash(town, 25),
  },
  {
    name: 'flash loans one by one',
    summary: 'the same with one payment in each transaction',
    play(town) {
      for (let round = 0; round < ROUNDS; round += 1) playFlash(town, 1)
    },
  },
  {
    name: 'two hops',
    summary: 'the merchant pays a mule, the mule fills a fresh buyer',
    play(town, usd) {
      const [shop, mule] = [town.wallet(), town.wallet()]
      for (let round = 0; round < ROUNDS; round += 1) {
        const buyer = town.wallet()
        town.send(mule, buyer, usd)
        town.pay(buyer, shop, usd)
        town.send(shop, mule, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'two hops over channels',
    summary: 'the same, and the buyer pays over a payment channel',
    play(town, usd) {
      const [shop, mule] = [town.wallet(), town.wallet()]
      for (let round = 0; round < ROUNDS; round += 1) {
        const buyer = town.wallet()
        town.send(mule, buyer, usd)
        town.payOverChannel(buyer, buyer, shop, usd)
        town.send(shop, mule, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'channels of others',
    summary:
      'a mule deposits into the channels of fresh payers by a collector of its own, and gets everything back',
    play(town, usd) {
      const [shop, mule] = [town.wallet(), town.wallet()]
      for (let round = 0; round < ROUNDS; round += 1) {
        town.payOverChannel(mule, town.wallet(), shop, usd)
        town.send(shop, mule, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'fresh relays',
    summary: 'three fresh wallets between the merchant and each fresh buyer',
    play(town, usd) {
      const shop = town.wallet()
      let holder = town.wallet()
      for (let round = 0; round < ROUNDS; round += 1) {
        const relay = town.wallet()
        const buyer = town.wallet()
        town.send(holder, relay, usd)
        town.send(relay, buyer, usd)
        town.pay(buyer, shop, usd)
        holder = town.wallet()
        town.send(shop, holder, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'seven relays',
    summary: 'one fresh wallet more than is followed',
    play(town, usd) {
      const shop = town.wallet()
      let holder = town.wallet()
      for (let round = 0; round < ROUNDS; round += 1) {
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
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'a busy mule',
    summary:
      'a mule between, which trades with so many fresh wallets all week that it looks like an exchange',
    play(town, usd) {
      const [shop, mule] = [town.wallet(), town.wallet()]
      town.hubs.add(mule)
      // Its trade lasts all week, and a round takes a minute.
      const partners = (MIN_PARTNERS * BASE.weekBlocks) / SAMPLE_BLOCKS
      town.burn((gasUsd(partners * PRICES.transferGas) * ROUNDS * MINUTE_HOURS) / WEEK_HOURS)
      for (let round = 0; round < ROUNDS; round += 1) {
        const buyer = town.wallet()
        town.send(mule, buyer, usd)
        town.pay(buyer, shop, usd)
        town.send(shop, mule, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'half and half',
    summary: '49 % straight back and 51 % by a mule, to one buyer',
    play(town, usd) {
      const [shop, mule, buyer] = [town.wallet(), town.wallet(), town.wallet()]
      for (let round = 0; round < ROUNDS; round += 1) {
        town.pay(buyer, shop, usd)
        town.send(shop, buyer, usd * 0.49)
        town.send(shop, mule, usd * 0.51)
        town.send(mule, buyer, usd * 0.51)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'two merchants',
    summary: 'two merchants of one operator fill the buyers of the other',
    play(town, usd) {
      const [one, other, ann, ben] = [town.wallet(), town.wallet(), town.wallet(), town.wallet()]
      for (let round = 0; round < ROUNDS; round += 1) {
        town.pay(ann, one, usd)
        town.send(one, ben, usd)
        town.pay(ben, other, usd)
        town.send(other, ann, usd)
      }
      town.lock(usd, ROUNDS * MINUTE_HOURS)
    },
  },
  {
    name: 'ring of 32',
    summary: 'a treasury fills 32 wallets in turn, and the merchant pays it back',
    play(town, usd) {
      const [shop, treasury] = [town.wallet(), town.wallet()]
      const ring = Array.from({ length: 32 }, () => town.wallet())
      for (const buyer of ring) {
        town.send(treasury, buyer, usd)
        town.pay(buyer, shop, usd)
        town.send(shop, treasury, usd)
      }
      town.lock(usd, 32 * MINUTE_HOURS)
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
    play(town, usd) {
      const [owner, buyer, shop] = [town.wallet(), town.wallet(), town.wallet()]
      town.send(owner, buyer, usd)
      town.pay(buyer, shop, usd)
      // The way back is in the next week.
      town.burn(gasUsd(PRICES.transferGas))
      town.lock(usd, 1)
    },
  },
]

function playFlash(town: Town, payments: number): void {
  const shop = town.wallet()
  for (let at = 0; at < payments; at += 1) {
    const buyer = town.wallet()
    town.burn(gasUsd(PRICES.lentPaymentGas))
    town.send(POOL, buyer, PRICES.flashLoanUsd, { together: at > 0 })
    town.pay(buyer, shop, PRICES.flashLoanUsd, { together: true })
    town.send(shop, POOL, PRICES.flashLoanUsd, { together: true })
  }
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
