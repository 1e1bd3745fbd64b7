import type { Address } from '@tollbook/chain/hex'
import { HONEST_DAY } from './honest-day.ts'
import { buildTown, EXCHANGE, type Town } from './town.ts'

const DAYS = 7
/** Every so many: merchants that pay out to a treasury instead of an exchange, and so on. */
const TREASURY_EVERY = 3
const SUPPLIER_EVERY = 5
const REFUND_EVERY = 7
const PLATFORM_EVERY = 4

/**
 * A week of honest trade: the real day seven times. Buyers are filled by an exchange, or those of a platform by its
 * treasury. Merchants send their revenue every day to an exchange or to a treasury; some treasuries fill buyers of other
 * merchants, some merchants pay suppliers whose wallets also buy here, and some refund a tenth to a customer.
 */
export function playHonestWeek(): Town {
  const town = buildTown()
  const buyers = new Map<number, Address>()
  const buyerOf = (number: number) => {
    const wallet = buyers.get(number) ?? town.wallet()
    buyers.set(number, wallet)
    return wallet
  }
  const shops = HONEST_DAY.map((pairs, at) => ({ at, pairs, shop: town.wallet(), treasury: town.wallet() }))
  const treasuries = shops.map(({ treasury }) => treasury)
  for (let day = 0; day < DAYS; day += 1)
    for (const { at, pairs, shop, treasury } of shops) {
      let revenue = 0
      for (const [number, payments, microUsdc] of pairs) {
        const buyer = buyerOf(number)
        const each = microUsdc / payments / 1e6
        // A platform's treasury is filled by another shop of its operator, or by an exchange.
        const funder =
          number % PLATFORM_EVERY === 0 ? (treasuries[(at + 1) % treasuries.length] ?? EXCHANGE) : EXCHANGE
        if (day % 2 === 0) {
          if (funder !== EXCHANGE) town.send(EXCHANGE, funder, (microUsdc / 1e6) * 2.5)
          town.send(funder, buyer, (microUsdc / 1e6) * 2.5)
        }
        for (let payment = 0; payment < payments; payment += 1) town.pay(buyer, shop, each)
        revenue += microUsdc / 1e6
        if (at % REFUND_EVERY === 0) town.send(shop, buyer, (microUsdc / 1e6) * 0.1)
        if (at % SUPPLIER_EVERY === 0) town.send(shop, buyerOf(number + 1), (microUsdc / 1e6) * 0.2)
      }
      town.send(shop, at % TREASURY_EVERY === 0 ? treasury : EXCHANGE, revenue * 0.6)
    }
  return town
}
