import type { Random } from '@tollbook/devchain/demo-week/random'

/** A number as somebody types it, and as an exact expression of PARI/GP and GNU units. */
export type TypedNumber = { readonly typed: string; readonly value: string }

const VULGAR = [
  ['½', '1/2'],
  ['¼', '1/4'],
  ['¾', '3/4'],
  ['⅓', '1/3'],
  ['⅔', '2/3'],
  ['⅛', '1/8'],
] as const

/** Draws what a hand writes: numbers in their many spellings, spaces, and words. */
export class TypedPen {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  between(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1))
  }

  whole(min = 1, max = 99): TypedNumber {
    const n = this.between(min, max)
    return { typed: `${n}`, value: `${n}` }
  }

  decimal(): TypedNumber {
    const [places, whole] = [this.between(1, 3), this.between(0, 400)]
    const decimals = `${this.between(0, 10 ** places - 1)}`.padStart(places, '0')
    const typed = whole === 0 && this.#random() < 0.3 ? `.${decimals}` : `${whole}.${decimals}`
    return { typed, value: `(${Number(`${whole}${decimals}`)}/${10 ** places})` }
  }

  /** `1,234`, `1,234,567.89`, `1 000 000` and `12_000`. */
  grouped(): TypedNumber {
    const n = this.between(1000, 9_999_999)
    const text = n.toLocaleString('en-US')
    const kind = this.between(0, 5)
    if (kind === 0) {
      const thousands = this.between(1, 99) * 1000
      return {
        typed: `${thousands.toLocaleString('en-US')},000`.replaceAll(',', ' '),
        value: `${thousands * 1000}`,
      }
    }
    if (kind === 1) return { typed: text.replaceAll(',', '_'), value: `${n}` }
    if (kind === 2) return { typed: text.replaceAll(',', '\u202f'), value: `${n}` }
    if (kind === 3) return { typed: text, value: `${n}` }
    const cents = this.between(0, 99)
    return { typed: `${text}.${`${cents}`.padStart(2, '0')}`, value: `(${n * 100 + cents}/100)` }
  }

  /** `1.5k`, `3M`, `2 million`. */
  scaled(): TypedNumber {
    const [word, zeros] = this.pick([
      ['k', 3],
      ['M', 6],
      [' thousand', 3],
      [' million', 6],
      [' billion', 9],
    ] as const)
    const { typed, value } = this.pick([this.whole(), this.decimal()])
    return { typed: `${typed}${word}`, value: `(${value}*10^${zeros})` }
  }

  /** `½`, `2¾`, `1 1/2`. */
  fraction(): TypedNumber {
    const whole = this.between(1, 12)
    const [sign, value] = this.pick(VULGAR)
    const denominator = this.pick([2, 3, 4, 8, 16])
    const numerator = this.between(1, denominator - 1)
    return this.pick([
      { typed: sign, value: `(${value})` },
      { typed: `${whole}${sign}`, value: `(${whole}+${value})` },
      { typed: `${whole} ${numerator}/${denominator}`, value: `(${whole}+${numerator}/${denominator})` },
    ])
  }

  amount(): TypedNumber {
    const chance = this.#random()
    if (chance < 0.5) return this.whole()
    if (chance < 0.8) return this.decimal()
    if (chance < 0.9) return this.grouped()
    return chance < 0.95 ? this.scaled() : this.fraction()
  }

  chance(share: number): boolean {
    return this.#random() < share
  }
}
