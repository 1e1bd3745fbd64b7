import { gasUsd, PRICES } from './prices.ts'
import { MINUTE_HOURS, playMule, playRounds, ROUNDS, type Strategy } from './strategy.ts'
import { POOL, type Town } from './town.ts'

/** The screens find these: at most a twentieth of their dollars is real. */
export const CAUGHT: readonly Strategy[] = [
  {
    name: 'straight back',
    summary: 'buyers pay, and the merchant sends everything back to them',
    play(town, usd) {
      const [shop, buyer] = [town.wallet(), town.wallet()]
      playRounds(town, usd, () => {
        town.pay(buyer, shop, usd)
        town.send(shop, buyer, usd)
      })
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
    play: (town, usd) =>
      playMule(town, usd, ({ shop, mule, buyer }) => {
        town.send(mule, buyer, usd)
        town.pay(buyer, shop, usd)
      }),
  },
  {
    name: 'two hops over channels',
    summary: 'the same, and the buyer pays over a payment channel',
    play: (town, usd) =>
      playMule(town, usd, ({ shop, mule, buyer }) => {
        town.send(mule, buyer, usd)
        town.payOverChannel(buyer, buyer, shop, usd)
      }),
  },
  {
    name: 'back over a channel',
    summary: 'the merchant sends everything back to its buyers through a payment channel of its own',
    play(town, usd) {
      const [shop, buyer] = [town.wallet(), town.wallet()]
      playRounds(town, usd, () => {
        town.pay(buyer, shop, usd)
        town.payOverChannel(shop, shop, buyer, usd)
      })
    },
  },
  {
    name: 'fresh relays',
    summary: 'three fresh wallets between the merchant and each fresh buyer',
    play(town, usd) {
      const shop = town.wallet()
      let holder = town.wallet()
      playRounds(town, usd, () => {
        const relay = town.wallet()
        const buyer = town.wallet()
        town.send(holder, relay, usd)
        town.send(relay, buyer, usd)
        town.pay(buyer, shop, usd)
        holder = town.wallet()
        town.send(shop, holder, usd)
      })
    },
  },
  {
    name: 'half and half',
    summary: '49 % straight back and 51 % by a mule, to one buyer',
    play(town, usd) {
      const [shop, mule, buyer] = [town.wallet(), town.wallet(), town.wallet()]
      playRounds(town, usd, () => {
        town.pay(buyer, shop, usd)
        town.send(shop, buyer, usd * 0.49)
        town.send(shop, mule, usd * 0.51)
        town.send(mule, buyer, usd * 0.51)
      })
    },
  },
  {
    name: 'two merchants',
    summary: 'two merchants of one operator fill the buyers of the other',
    play(town, usd) {
      const [one, other, ann, ben] = [town.wallet(), town.wallet(), town.wallet(), town.wallet()]
      playRounds(town, usd, () => {
        town.pay(ann, one, usd)
        town.send(one, ben, usd)
        town.pay(ben, other, usd)
        town.send(other, ann, usd)
      })
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
